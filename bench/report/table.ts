/** The rows of a result as a Markdown table, and the sentence about those that missed their target. */
import { type BenchRow, formatFigure, listMissedRows } from './row.ts';
import type { Spread } from './spread.ts';

const HEADS = ['work', 'measured (min–max)', 'target', 'met', 'details'];

export function formatResultTable(rows: readonly BenchRow[]): string {
  const lines = rows.map(({ work, measured, unit, target, met, details }) => [
    work,
    measured ? formatMeasured(measured, unit) : '–',
    `≤ ${formatTarget(target, unit)}`,
    met === null ? '–' : met ? 'yes' : '**no**',
    details.join('; '),
  ]);
  return [HEADS, HEADS.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function formatMeasured({ median, min, max }: Spread, unit: string): string {
  const range = min === max ? '' : ` (${formatFigure(min)}–${formatFigure(max)})`;
  return `${formatFigure(median)}${unit}${range}`;
}

/** A target is written as it stands in the code. */
function formatTarget(target: number, unit: string): string {
  return `${target}${unit}`;
}

/** Empty if none missed its target. */
export function formatMisses(rows: readonly BenchRow[]): string {
  return listMissedRows(rows)
    .map(({ work, measured, unit, target }) => {
      const figure = measured ? formatMeasured(measured, unit) : '';
      return `Missed: ${work}: ${figure}, target ${formatTarget(target, unit)}\n`;
    })
    .join('');
}
