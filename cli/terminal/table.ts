/** Formats tables, labelled lists, counts, times and untrusted text for a terminal. */
import { stripVTControlCharacters } from 'node:util';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { cutIsoDay } from '#platform/text/iso-time.ts';
import { escapeUnseenInJson, replaceUnseen } from '#seal/core/unseen-characters.ts';

/** Makes untrusted text safe to print: control characters drive a terminal, invisible ones mislead a reader. */
export const terminalSafe = {
  text: replaceUnseen,
  line: (text: string): string => replaceUnseen(text).replace(/\s+/g, ' '),
  json: escapeUnseenInJson,
};

const GAP = '  ';
const MINUTE_LENGTH = 16;

/** A table of texts that are safe to print; some of them may be coloured. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows];
  const widths = measureColumns(lines);
  const padCell = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - countColumns(cell));
  return lines.map((row) => formatLine(row.map(padCell))).join('');
}

/** Omits the optional columns, in their order, until the table fits; without a width, omits none. */
export function formatFittingTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, optional }: { width: number | undefined; optional: readonly string[] },
): string {
  const [first, ...others] = optional;
  if (first === undefined || measureTable([heads, ...rows]) <= width) return formatTable(heads, rows);
  const omitted = heads.indexOf(first);
  const omitCell = (cells: readonly string[]) => cells.toSpliced(omitted, 1);
  return formatFittingTable(omitCell(heads), rows.map(omitCell), { width, optional: others });
}

/** Returns the width of the lines, including the heads, in terminal columns. */
export function measureTable(lines: readonly (readonly string[])[]): number {
  return measureColumns(lines).reduce((sum, column) => sum + column + GAP.length, -GAP.length);
}

function measureColumns(lines: readonly (readonly string[])[]): number[] {
  return (lines[0] ?? []).map((_head, column) =>
    Math.max(...lines.map((row) => countColumns(row[column] ?? ''))),
  );
}

function countColumns(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

/** Puts labels on the left, and aligns the lines of a longer text. */
export function formatPairs(lines: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines
    .map(([label, text]) => formatLine([label.padEnd(width), indentText(text, width + GAP.length)]))
    .join('');
}

export function indentText(text: string, width: number): string {
  return terminalSafe.text(text).replaceAll('\n', `\n${' '.repeat(width)}`);
}

/** Uses the largest unit of which there are at least two. */
export function formatAge(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  return `${Math.max(0, Math.floor(ms / MINUTE_MS))} min`;
}

export function formatDayOrDash(time: number | string | null): string {
  return time === null ? '-' : cutIsoDay(new Date(time).toISOString());
}

export function formatTimeOrDash(time: number | string | null): string {
  const text = time === null ? null : new Date(time).toISOString().slice(0, MINUTE_LENGTH);
  return text === null ? '-' : `${text.replace('T', ' ')} UTC`;
}

function formatLine(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`;
}

/** Takes the plural, which for our nouns ends in s: `1 case`, `2 cases`. */
export function formatCount(count: number, nouns: string): string {
  return `${count} ${count === 1 ? nouns.replace(/s$/, '') : nouns}`;
}
