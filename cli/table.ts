/** Tables and lists for a terminal. */
import { visible } from './terminal-text.ts';

const GAP = '  ';

/** Columns as wide as what stands in them. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows];
  const widths = heads.map((_head, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => lineOf(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))).join('');
}

/** Labels at the left, texts of several lines under themselves. */
export function pairs(lines: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines
    .map(([label, text]) => lineOf([label.padEnd(width), indented(text, width + GAP.length)]))
    .join('');
}

export function indented(text: string, blanks: number): string {
  return visible.text(text).replaceAll('\n', `\n${' '.repeat(blanks)}`);
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`;
}
