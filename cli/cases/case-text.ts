/** Formats an opened case for the terminal. */
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { ENGLISH } from '#language/languages.ts';
import { formatBookedCall, toCallTime } from '#seal/case/booked-call.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import type { CallWindow } from '#seal/case/call-window.ts';
import type { OpenedMessage } from '#seal/case/case-content.ts';
import { listCaseDifferences } from '#seal/case/case-differences.ts';
import type { Finding } from '#seal/case/finding.ts';
import type { CaseMessage } from '#seal/case/message.ts';
import { formatCaseMessage, toLinkText, toMissingText } from '#seal/case/message-text.ts';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import type { ThreadEntry } from '#seal/case/thread.ts';
import { toInstant, toWallTime } from '#seal/case/zoned-time.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { formatFileLabel, toCallWindowText, toInquiryLines } from '#seal/form/inquiry-text.ts';
import { sayText } from '#wire/said-text.ts';
import { formatPairs, indentText } from '../terminal/table.ts';
import type { InvestigatorNames } from './assignee-name.ts';
import { formatCaseLines, formatTimeOrDash } from './case-facts.ts';

interface SavedFiles {
  readonly total: number;
  readonly saved: readonly string[];
}

interface OpenedCaseParts {
  readonly files: SavedFiles;
  readonly notes: readonly string[];
  readonly names: InvestigatorNames;
}

export function formatOpenedCase(opened: DeskOpenedCase, { files, notes, names }: OpenedCaseParts): string {
  const { facts, content, fingerprint, now } = opened;
  const { inquiry, thread, finding } = content;
  const sections = [
    formatPairs([...formatCaseLines(facts, now, names), ['Fingerprint', fingerprint]]),
    ...listCaseDifferences(content, facts).map(({ said }) => `[${sayText(ENGLISH, said)}]\n`),
    `INQUIRY\n\n${formatInquirySection(inquiry)}`,
    ...(thread.length > 0 ? [`MESSAGES\n\n${thread.map(formatThreadEntry).join('\n')}`] : []),
    ...formatSeenHint(opened),
    ...notes,
    ...formatCallSection(opened),
    ...(finding ? [`FINDING\n\n${formatFindingSection(finding)}`] : []),
    ...(files.total > 0 ? [formatFilesSection(files)] : []),
  ];
  return sections.join('\n');
}

function formatInquirySection(inquiry: OpenedPart<Inquiry>): string {
  if ('unreadable' in inquiry) return `  ${indentText(inquiry.unreadable, 2)}\n`;
  // Needed for a refund; the buyer's own page does not show it.
  const payment = { label: 'Payment', text: inquiry.content.payment_ref };
  const lines = toInquiryLines(inquiry.content).map(({ label, text }) => ({
    label: sayText(ENGLISH, label),
    text: sayText(ENGLISH, text),
  }));
  return [...lines, payment].map(formatLabeledText).join('');
}

/** The state and times of the call, in the buyer's zone and in that of this machine. */
function formatCallSection({ content, facts }: DeskOpenedCase): string[] {
  const { number, windows, booked } = buildCallPlan(content, facts.call === 'booked');
  const times = windows
    .map((window) => `${sayText(ENGLISH, toCallWindowText(window))}${formatWindowHere(window)}`)
    .join('\n');
  const lines = [
    { label: 'Number', text: number },
    { label: 'Proposed', text: times },
    { label: 'Booked', text: booked && `${formatBookedCall(booked)}${formatTimeHere(toCallTime(booked))}` },
  ].filter(({ text }) => text);
  return lines.length > 0 ? [`CALL\n\n${lines.map(formatLabeledText).join('')}`] : [];
}

function formatLabeledText({
  label,
  text,
}: {
  readonly label: string;
  readonly text: string | null;
}): string {
  return `${label}:${text?.includes('\n') ? '\n  ' : ' '}${indentText(text ?? '', 2)}\n`;
}

const findDeskZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Empty if this machine is in the same zone, or does not know the buyer's. */
function formatWindowHere({ start, end, zone }: CallWindow): string {
  const from = toInstant(start, zone);
  const to = toInstant(end, zone, 'last');
  if (from === null || to === null || zone === findDeskZone()) return '';
  return ` (${formatWallTime(from)} to ${formatWallTime(to)}, ${findDeskZone()})`;
}

function formatTimeHere(time: number): string {
  return ` (${formatWallTime(time)} ${findDeskZone()})`;
}

function formatWallTime(time: number): string {
  return (toWallTime(time, findDeskZone()) ?? '').replace('T', ' ');
}

function formatSeenHint({ seen: { buyer } }: DeskOpenedCase): string[] {
  return buyer > 0
    ? [`When you write, add --seen ${buyer} to confirm that you have read the messages above.\n`]
    : [];
}

/** Lines in brackets are not indented, so that no author can imitate them. */
function formatThreadEntry(entry: ThreadEntry<OpenedMessage<number>>): string {
  const author = entry.by === 'buyer' ? 'Buyer' : 'Desk';
  if ('missing' in entry) return `${author}\n[${sayText(ENGLISH, toMissingText(entry))}]\n`;
  const { at, said, link } = entry;
  const text = 'content' in said ? formatMessageText(said.content) : said.unreadable;
  const mark = sayText(ENGLISH, toLinkText(link));
  return `${author}, ${formatTimeOrDash(at)}\n  ${indentText(text, 2)}\n${mark && `[${mark}]\n`}`;
}

function formatMessageText(message: CaseMessage): string {
  return joinFileNames(sayText(ENGLISH, formatCaseMessage(message)), message.files);
}

function formatFindingSection(finding: OpenedPart<Finding>): string {
  const text = 'content' in finding ? formatFindingText(finding.content) : finding.unreadable;
  return `  ${indentText(text, 2)}\n`;
}

function formatFindingText({ markdown, files }: Finding): string {
  return joinFileNames(markdown, files);
}

function joinFileNames(text: string, files: Finding['files']): string {
  const names = files.map(formatFileLabel).join('\n');
  return [text, names && `Files:\n${names}`].filter(Boolean).join('\n\n');
}

function formatFilesSection({ total, saved }: SavedFiles): string {
  if (saved.length > 0) return `SAVED\n\n${saved.map((path) => `  ${indentText(path, 2)}\n`).join('')}`;
  return `${total === 1 ? 'There is 1 file' : `There are ${total} files`}; --out FOLDER saves ${total === 1 ? 'it' : 'them'}.\n`;
}
