/** Formats tables, labelled lists and ages for a terminal. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { terminalSafe } from './terminal-text.ts';

const GAP = '  ';

export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows];
  const widths = heads.map((_head, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines.map((row) => formatLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))).join('');
}

/** Labels on the left; the lines of a longer text are aligned. */
export function formatPairs(lines: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines
    .map(([label, text]) => formatLine([label.padEnd(width), indentText(text, width + GAP.length)]))
    .join('');
}

export function indentText(text: string, width: number): string {
  return terminalSafe.text(text).replaceAll('\n', `\n${' '.repeat(width)}`);
}

/** In the largest unit of which there are at least two. */
export function formatAge(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  return `${Math.max(0, Math.floor(ms / MINUTE_MS))} min`;
}

function formatLine(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`;
}
