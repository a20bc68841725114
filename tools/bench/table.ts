/** The results of a bench: figures with their targets, and their table. */

interface BenchFigure {
  readonly work: string;
  /** A value for each round; empty if it cannot be measured. */
  readonly measured: readonly number[];
  /** The unit after the figure, such as ` ×` or ` ms`. */
  readonly unit?: string;
  /** The largest median that is good enough. */
  readonly target: number | null;
  readonly details?: readonly string[];
}

export interface BenchRow extends BenchFigure {
  /** Null if it was not measured. A miss within the noise does not count. */
  readonly met: boolean | null;
}

export function createBenchRow(figure: BenchFigure & { readonly target: number }): BenchRow {
  const { measured, target } = figure;
  const met = measured.length > 0 ? computeMedian(measured) - (computeNoise(measured) ?? 0) <= target : null;
  return { ...figure, met };
}

/** The row of a bench that failed: it meets no target, and the others continue. */
export function createFailedRow(work: string, error: unknown): BenchRow {
  const reason = error instanceof Error ? error.message : String(error);
  const details = [`failed: ${reason.replaceAll(/\s+/g, ' ')}`];
  return { work, measured: [], target: null, met: false, details };
}

export function formatResultTable(rows: readonly BenchRow[]): string {
  const heads = ['work', 'measured (min–max)', 'noise', 'target', 'met', 'details'];
  return [heads, heads.map(() => '---'), ...rows.map(toCells)]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function toCells({ work, measured, unit = '', target, met, details = [] }: BenchRow): string[] {
  const noise = computeNoise(measured);
  const isMissed = target !== null && computeMedian(measured) > target;
  const answer = met ? (isMissed ? 'within the noise' : 'yes') : '**no**';
  return [
    work,
    measured.length === 0 ? '–' : formatSpread(measured, unit),
    noise === null ? '–' : `± ${formatFigure(noise)}`,
    target === null ? '–' : `≤ ${target}${unit}`,
    met === null ? '–' : answer,
    details.join('; '),
  ];
}

function formatSpread(measured: readonly number[], unit: string): string {
  const range = [Math.min(...measured), Math.max(...measured)].map(formatFigure).join('–');
  return `${formatMedian(measured)}${unit}${measured.length > 1 ? ` (${range})` : ''}`;
}

/** Rounds to three significant figures, because more would be noise. */
export function formatFigure(value: number): string {
  if (value >= 100 || value === 0) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatMedian(values: readonly number[]): string {
  return formatFigure(computeMedian(values));
}

/** Returns the ratio for each round. */
export function divide(values: readonly number[], by: readonly number[]): number[] {
  return values.map((value, round) => value / by[round]!);
}

/** NaN if there is none. */
export function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Twice the standard error of a median, as if the rounds were normally distributed: nineteen times out of twenty, the
 * median of another run is this close. Null for fewer than two rounds.
 */
function computeNoise(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return 2 * Math.sqrt((Math.PI / 2) * (variance / values.length));
}
