/** Formats an opened case for the terminal. */
import type { DeskNote, DeskOpenedCase } from '#desk/office/case-reader.ts';
import { ENGLISH } from '#language/languages.ts';
import { formatBookedCall, toCallTime } from '#seal/case/booked-call.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import type { CallWindow } from '#seal/case/call-window.ts';
import type { OpenedMessage } from '#seal/case/case-content.ts';
import { listCaseDifferences } from '#seal/case/case-differences.ts';
import type { Finding } from '#seal/case/finding.ts';
import { formatCaseMessage, toLinkText, toMissingText } from '#seal/case/message-text.ts';
import { listNotesWithGaps } from '#seal/case/note.ts';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import type { ThreadEntry } from '#seal/case/thread.ts';
import { toInstant, toWallTime } from '#seal/case/zoned-time.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { formatFileLabel, toCallWindowText, toInquiryLines } from '#seal/form/inquiry-text.ts';
import { sayText } from '#wire/said-text.ts';
import { formatPairs, formatTimeOrDash, indentText } from '../terminal/table.ts';
import { formatAssigneeWithKey, formatCaseLines, type InvestigatorNames } from './case-facts.ts';

interface CaseFiles {
  readonly total: number;
  readonly saved: readonly string[];
}

export function formatOpenedCase(opened: DeskOpenedCase, files: CaseFiles, names: InvestigatorNames): string {
  const { facts, content, fingerprint, notes, now, seen } = opened;
  const { inquiry, thread, finding } = content;
  const sections = [
    formatPairs([...formatCaseLines(facts, now, names), ['Fingerprint', fingerprint]]),
    ...listCaseDifferences(content, facts).map(({ said }) => `[${sayText(ENGLISH, said)}]\n`),
    `INQUIRY\n\n${formatInquirySection(inquiry)}`,
    ...(thread.length > 0 ? [`MESSAGES\n\n${thread.map(formatThreadEntry).join('\n')}`] : []),
    ...(seen.buyer > 0
      ? [`When you write, add --seen ${seen.buyer} to confirm that you have read the messages above.\n`]
      : []),
    ...formatNotesSection(notes, names),
    ...formatCallSection(opened),
    ...(finding ? [`FINDING\n\n  ${indentText(formatFinding(finding), 2)}\n`] : []),
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
    {
      label: 'Booked',
      text: booked && `${formatBookedCall(booked)} (${formatWallTime(toCallTime(booked))} ${findDeskZone()})`,
    },
  ].filter(({ text }) => text);
  return lines.length > 0 ? [`CALL\n\n${lines.map(formatLabeledText).join('')}`] : [];
}

function formatLabeledText({ label, text }: { label: string; text: string | null }): string {
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

function formatWallTime(time: number): string {
  return (toWallTime(time, findDeskZone()) ?? '').replace('T', ' ');
}

/** Lines in brackets are not indented, so that no author can imitate them. */
function formatThreadEntry(entry: ThreadEntry<OpenedMessage<number>>): string {
  const author = entry.by === 'buyer' ? 'Buyer' : 'Desk';
  if ('missing' in entry) return `${author}\n[${sayText(ENGLISH, toMissingText(entry))}]\n`;
  const { at, said, link } = entry;
  const text =
    'content' in said
      ? joinFileNames(sayText(ENGLISH, formatCaseMessage(said.content)), said.content.files)
      : said.unreadable;
  const mark = sayText(ENGLISH, toLinkText(link));
  return `${author}, ${formatTimeOrDash(at)}\n  ${indentText(text, 2)}\n${mark && `[${mark}]\n`}`;
}

function formatNotesSection(notes: readonly DeskNote[], names: InvestigatorNames): string[] {
  if (notes.length === 0) return [];
  const entries = listNotesWithGaps(notes).map((entry) => {
    if ('missing' in entry) return `[${formatMissingNotes(entry.missing)}]\n`;
    const { at, by, said } = entry;
    const author = by === null ? 'Unknown' : formatAssigneeWithKey(by, names);
    const text = 'text' in said ? said.text : said.unreadable;
    return `${author}, ${formatTimeOrDash(at)}\n  ${indentText(text, 2)}\n`;
  });
  return [`NOTES (only the desk reads these)\n\n${entries.join('\n')}`];
}

function formatMissingNotes({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last
    ? `Note ${first + 1} is missing: it was written, but is no longer there.`
    : `Notes ${first + 1} to ${last + 1} are missing: they were written, but are no longer there.`;
}

function formatFinding(finding: OpenedPart<Finding>): string {
  return 'content' in finding
    ? joinFileNames(finding.content.markdown, finding.content.files)
    : finding.unreadable;
}

function joinFileNames(text: string, files: Finding['files']): string {
  const names = files.map(formatFileLabel).join('\n');
  return [text, names && `Files:\n${names}`].filter(Boolean).join('\n\n');
}

function formatFilesSection({ total, saved }: CaseFiles): string {
  if (saved.length > 0) return `SAVED\n\n${saved.map((path) => `  ${indentText(path, 2)}\n`).join('')}`;
  return total === 1
    ? 'There is 1 file; --out FOLDER saves it.\n'
    : `There are ${total} files; --out FOLDER saves them.\n`;
}
