/** The text of sealing.md; its numbers and labels are those of the code that seals. */
import type { PublicAddresses } from '#platform/addresses.ts';
import {
  formatBodySection,
  formatEnvelopeSection,
  formatFileSection,
  formatThreadSection,
} from './content-sections.ts';
import { formatAgeSection, formatCaseKeySection, formatWordsSection } from './key-sections.ts';
import { formatRefusalSection, formatSendingSection } from './usage-sections.ts';

export function buildSealingText(addresses: PublicAddresses, siteName: string): string {
  return [
    formatIntroduction(addresses, siteName),
    formatAgeSection(),
    formatWordsSection(),
    formatCaseKeySection(addresses),
    formatEnvelopeSection(),
    formatBodySection(),
    formatThreadSection(),
    formatFileSection(),
    formatSendingSection(addresses),
    formatRefusalSection(),
  ].join('\n');
}

function formatIntroduction({ api, sealingVectors }: PublicAddresses, siteName: string): string {
  return `# sealing.md: how ${siteName} seals a case

You are a program that sends an inquiry which nobody but the investigators and you can read, and that opens their
answer. This page is all that you need to write one, in any language. What is written here does not change; a new version
of a format has another name (\`.v2\`).

In short: twelve words give an identity; a case has a key of its own, sealed to the investigators and to the words;
everything in the case is padded, authenticated and sealed to that key.

**Check your code with the test vectors**: ${sealingVectors} has words and the keys that come from them, a case
key, an inquiry, messages, a finding and files, each sealed and with what is inside, and some that must be refused. Open all of
them. Sealing is random, so what you seal differs; \`plain_sha256\` says what it must be before that, if you write the fields of
\`body\` in the order given, without blanks, and no characters as escapes but those that JSON requires.

A program that cannot do this may send its inquiry in plain text, and read and answer with \`POST ${api}/cases/{case}/plain\` and the
words; the service then sees all of that for a moment, and the case says \`sealed_by: server\`. A case that you sealed has no such way.
`;
}
