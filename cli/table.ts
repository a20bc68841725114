/** Tables and lists for a terminal. */
import { terminalSafe } from './terminal-text.ts';

const GAP = '  ';

/** Columns as wide as what stands in them. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows];
  const widths = heads.map((_head, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => formatLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))).join('');
}

/** Labels at the left, texts of several lines under themselves. */
export function formatPairs(lines: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines
    .map(([label, text]) => formatLine([label.padEnd(width), indentText(text, width + GAP.length)]))
    .join('');
}

export function indentText(text: string, blanks: number): string {
  return terminalSafe.text(text).replaceAll('\n', `\n${' '.repeat(blanks)}`);
}

function formatLine(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`;
}
