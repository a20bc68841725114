/** The rows of a result as Markdown tables, and the sentences about those that missed their target. */
import { type BenchRow, formatFigure, listMissedRows } from './row.ts';
import type { Spread } from './spread.ts';

const HEADS = ['work', 'measured (min–max)', 'target', 'met'] as const;

export function formatResultTable(rows: readonly BenchRow[]): string {
  return formatMarkdownTable(
    [...HEADS, 'details'],
    rows.map((row) => [...toCells(row), row.details.join('; ')]),
  );
}

export function formatShortTable(rows: readonly BenchRow[]): string {
  return formatMarkdownTable(HEADS, rows.map(toCells));
}

function toCells({ work, group, measured, unit, target, met }: BenchRow): string[] {
  const name = group && !work.startsWith(group) ? `${group}: ${work}` : work;
  const answer = met ? 'yes' : '**no**';
  return [
    name,
    measured ? formatMeasured(measured, unit) : '–',
    formatTarget(target, unit),
    met === null ? '–' : answer,
  ];
}

function formatMarkdownTable(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

export function formatMeasured({ median, min, max }: Spread, unit: string): string {
  const range = min === max ? '' : ` (${formatFigure(min)}–${formatFigure(max)})`;
  return `${formatFigure(median)}${unit}${range}`;
}

/** A target is written as it stands in the code. */
export function formatTarget(target: number | null, unit: string): string {
  return target === null ? '–' : `≤ ${target}${unit}`;
}

/** Empty if none missed its target. */
export function formatMisses(rows: readonly BenchRow[]): string {
  return listMissedRows(rows)
    .map((row) => {
      const [name, figure, target] = toCells(row);
      return `Missed: ${name}: ${row.measured ? figure : row.details.join('; ')}, target ${target}\n`;
    })
    .join('');
}
