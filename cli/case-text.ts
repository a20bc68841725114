/** An opened case in words, for the terminal of an investigator. */
import type { OpenedCase, WrittenMessage } from '#cases/opened-case.ts';
import { type TierName, tierOf } from '#payments/tiers.ts';
import type { Finding } from '#seal/finding.ts';
import { validateFinding } from '#seal/finding.ts';
import { validateInquiry } from '#seal/inquiry.ts';
import { inquiryLines, sizeText } from '#seal/inquiry-text.ts';
import { validateMessage } from '#seal/message.ts';
import { messageText } from '#seal/message-text.ts';
import { caseLines, timeText } from './case-facts.ts';
import { indented, pairs } from './table.ts';

interface Files {
  readonly files: number;
  readonly saved: readonly string[];
}

export function openedText(opened: OpenedCase, now: number, files: Files): string {
  const { record, messages, finding } = opened;
  const parts = [
    pairs(caseLines(record, now)),
    `INQUIRY\n\n${inquiryText(opened)}`,
    ...(messages.length > 0 ? [`MESSAGES\n\n${messages.map(writtenText).join('\n')}`] : []),
    ...(finding ? [`FINDING\n\n${findingText(finding)}`] : []),
    ...(files.files > 0 ? [filesText(files)] : []),
  ];
  return parts.join('\n');
}

function inquiryText({ inquiry, record }: OpenedCase): string {
  const checked = validateInquiry(inquiry, tierOf(record.tier as TierName));
  if ('errors' in checked) return asItIs(inquiry);
  return inquiryLines(checked.inquiry)
    .map(({ label, text }) => `${label}:${text.includes('\n') ? '\n  ' : ' '}${indented(text, 2)}\n`)
    .join('');
}

function writtenText({ by, at, seq: _seq, ...message }: WrittenMessage): string {
  const checked = validateMessage(message);
  const text = 'errors' in checked ? asItIs(message) : `  ${indented(messageText(checked.message), 2)}\n`;
  return `${by === 'buyer' ? 'Buyer' : 'Desk'}, ${timeText(at)}\n${text}`;
}

function findingText(finding: Finding): string {
  if ('errors' in validateFinding(finding)) return asItIs(finding);
  const files = finding.files.map(({ name, size }) => `${name}, ${sizeText(size)}`).join('\n');
  const lines = [finding.markdown, files && `Files:\n${files}`].filter(Boolean);
  return `  ${indented(lines.join('\n\n'), 2)}\n`;
}

/** Whoever holds the words may seal anything: what is not as the forms make it is still shown, as it is. */
function asItIs(value: unknown): string {
  return `  Not in the form that this service writes:\n  ${indented(JSON.stringify(value, null, 2), 2)}\n`;
}

function filesText({ files, saved }: Files): string {
  if (saved.length > 0) return `SAVED\n\n${saved.map((path) => `  ${indented(path, 2)}\n`).join('')}`;
  return `${files === 1 ? 'There is 1 file' : `There are ${files} files`}; --out FOLDER saves ${files === 1 ? 'it' : 'them'}.\n`;
}
