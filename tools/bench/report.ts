/** What a bench has found: figures with their targets, and the table of them. */

interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Another run finds its median within so much of this one, nineteen times out of twenty; null for a single round. */
  readonly noise: number | null;
}

export interface BenchRow {
  readonly work: string;
  /** Null where it cannot be measured; the details say why. */
  readonly spread: Spread | null;
  /** What stands behind the figure, such as ` ×` or ` ms`. */
  readonly unit: string;
  /** The largest median that is good enough; null for a figure that only informs. */
  readonly target: number | null;
  /** Null if it was not measured, or has no target. A miss within the noise is none. */
  readonly met: boolean | null;
  readonly details: readonly string[];
}

export interface BenchFigure {
  readonly work: string;
  /** A value for each round; none where it cannot be measured. */
  readonly measured: readonly number[];
  readonly unit?: string;
  readonly target: number | null;
  readonly details?: readonly string[];
}

export function createBenchRow({ work, measured, unit = '', target, details = [] }: BenchFigure): BenchRow {
  const spread =
    measured.length > 0
      ? {
          median: computeMedian(measured),
          min: Math.min(...measured),
          max: Math.max(...measured),
          noise: computeNoise(measured),
        }
      : null;
  const met = spread === null || target === null ? null : spread.median - (spread.noise ?? 0) <= target;
  return { work, spread, unit, target, met, details };
}

/** A bench that breaks off has met nothing; the others go on. */
export function createFailedRow(work: string, error: unknown): BenchRow {
  const reason = error instanceof Error ? error.message : String(error);
  const details = [`failed: ${reason.replaceAll(/\s+/g, ' ')}`];
  return { work, spread: null, unit: '', target: null, met: false, details };
}

/** What `npm run bench` ends with. */
export function computeBenchExitCode(rows: readonly BenchRow[]): number {
  return rows.some(({ met }) => met === false) ? 1 : 0;
}

export function formatResultTable(rows: readonly BenchRow[]): string {
  const heads = ['work', 'measured (min–max)', 'noise', 'target', 'met', 'details'];
  return [heads, heads.map(() => '---'), ...rows.map(toCells)]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function toCells({ work, spread, unit, target, met, details }: BenchRow): string[] {
  const isClear = spread === null || target === null || spread.median <= target;
  const answer = met ? (isClear ? 'yes' : 'within the noise') : '**no**';
  return [
    work,
    spread ? formatSpread(spread, unit) : '–',
    spread?.noise == null ? '–' : `± ${formatFigure(spread.noise)}`,
    target === null ? '–' : `≤ ${target}${unit}`,
    met === null ? '–' : answer,
    details.join('; '),
  ];
}

function formatSpread({ median, min, max }: Spread, unit: string): string {
  const range = min === max ? '' : ` (${formatFigure(min)}–${formatFigure(max)})`;
  return `${formatFigure(median)}${unit}${range}`;
}

/** Three figures are all that the noise of such a measurement leaves. */
export function formatFigure(value: number): string {
  if (value >= 100 || value === 0) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatMedian(values: readonly number[]): string {
  return formatFigure(computeMedian(values));
}

/** Round by round. */
export function divide(values: readonly number[], by: readonly number[]): number[] {
  return values.map((value, round) => value / by[round]!);
}

export function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Twice the standard error of a median, as if the rounds were normally distributed. */
function computeNoise(values: readonly number[]): number | null {
  if (values.length === 1) return null;
  const mean = values.reduce((sum, value) => sum + value) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return 2 * Math.sqrt((Math.PI / 2) * (variance / values.length));
}
