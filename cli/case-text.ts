/** An opened case in words, for the terminal of an investigator. */
import type { DecryptedCase, DecryptedMessage } from '#cases/decrypted-case.ts';
import type { Finding } from '#seal/finding.ts';
import { formatFileSize, toInquiryLines } from '#seal/inquiry-text.ts';
import { formatCaseMessage } from '#seal/message-text.ts';
import { formatCaseLines, formatTimeOrDash } from './case-facts.ts';
import { formatPairs, indentText } from './table.ts';

interface Files {
  readonly files: number;
  readonly saved: readonly string[];
}

export function formatOpenedCase(opened: DecryptedCase, now: number, files: Files): string {
  const { record, messages, finding } = opened;
  const parts = [
    formatPairs(formatCaseLines(record, now)),
    `INQUIRY\n\n${formatInquirySection(opened)}`,
    ...(messages.length > 0 ? [`MESSAGES\n\n${messages.map(formatMessageEntry).join('\n')}`] : []),
    ...(finding ? [`FINDING\n\n${formatFindingSection(finding)}`] : []),
    ...(files.files > 0 ? [formatFilesSection(files)] : []),
  ];
  return parts.join('\n');
}

function formatInquirySection({ inquiry, unreadable }: DecryptedCase): string {
  if (!inquiry) return `  ${indentText(unreadable ?? '', 2)}\n`;
  return toInquiryLines(inquiry)
    .map(({ label, text }) => `${label}:${text.includes('\n') ? '\n  ' : ' '}${indentText(text, 2)}\n`)
    .join('');
}

function formatMessageEntry({ by, at, ...message }: DecryptedMessage): string {
  return `${by === 'buyer' ? 'Buyer' : 'Desk'}, ${formatTimeOrDash(at)}\n  ${indentText(formatCaseMessage(message), 2)}\n`;
}

function formatFindingSection(finding: Finding): string {
  const files = finding.files.map(({ name, size }) => `${name}, ${formatFileSize(size)}`).join('\n');
  const lines = [finding.markdown, files && `Files:\n${files}`].filter(Boolean);
  return `  ${indentText(lines.join('\n\n'), 2)}\n`;
}

function formatFilesSection({ files, saved }: Files): string {
  if (saved.length > 0) return `SAVED\n\n${saved.map((path) => `  ${indentText(path, 2)}\n`).join('')}`;
  return `${files === 1 ? 'There is 1 file' : `There are ${files} files`}; --out FOLDER saves ${files === 1 ? 'it' : 'them'}.\n`;
}
