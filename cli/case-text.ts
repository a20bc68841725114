/** An opened case in words, for the terminal of an investigator. */
import type { OpenedCase, WrittenMessage } from '#cases/decrypted-case.ts';
import type { Finding } from '#seal/finding.ts';
import { inquiryLines, sizeText } from '#seal/inquiry-text.ts';
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

function inquiryText({ inquiry, unreadable }: OpenedCase): string {
  if (!inquiry) return `  ${indented(unreadable ?? '', 2)}\n`;
  return inquiryLines(inquiry)
    .map(({ label, text }) => `${label}:${text.includes('\n') ? '\n  ' : ' '}${indented(text, 2)}\n`)
    .join('');
}

function writtenText({ by, at, ...message }: WrittenMessage): string {
  return `${by === 'buyer' ? 'Buyer' : 'Desk'}, ${timeText(at)}\n  ${indented(messageText(message), 2)}\n`;
}

function findingText(finding: Finding): string {
  const files = finding.files.map(({ name, size }) => `${name}, ${sizeText(size)}`).join('\n');
  const lines = [finding.markdown, files && `Files:\n${files}`].filter(Boolean);
  return `  ${indented(lines.join('\n\n'), 2)}\n`;
}

function filesText({ files, saved }: Files): string {
  if (saved.length > 0) return `SAVED\n\n${saved.map((path) => `  ${indented(path, 2)}\n`).join('')}`;
  return `${files === 1 ? 'There is 1 file' : `There are ${files} files`}; --out FOLDER saves ${files === 1 ? 'it' : 'them'}.\n`;
}
