/** One row of the result: what was measured, its target, and whether it was met. */
import type { Spread } from './spread.ts';

export interface BenchRow {
  readonly work: string;
  /** Of rows with the same group, a short result shows only the worst. */
  readonly group?: string;
  /** Null where it cannot be measured; the details say why. */
  readonly measured: Spread | null;
  /** What stands behind the figure, such as ` ×` or ` ms`. */
  readonly unit: string;
  /** The largest median that is good enough; null for a figure that only informs. */
  readonly target: number | null;
  /** Null if it was not measured, or has no target. */
  readonly met: boolean | null;
  readonly details: readonly string[];
}

export function createBenchRow(row: Omit<BenchRow, 'met'>): BenchRow {
  const { measured, target } = row;
  return { ...row, met: measured === null || target === null ? null : measured.median <= target };
}

/** A bench that breaks off has met nothing; the others go on. */
export function createFailedRow(work: string, error: unknown): BenchRow {
  const reason = error instanceof Error ? error.message : String(error);
  const details = [`failed: ${reason.replaceAll(/\s+/g, ' ')}`];
  return { work, measured: null, unit: '', target: null, met: false, details };
}

export function listMissedRows(rows: readonly BenchRow[]): BenchRow[] {
  return rows.filter(({ met }) => met === false);
}

/** What `npm run bench` ends with. */
export function computeBenchExitCode(rows: readonly BenchRow[]): number {
  return listMissedRows(rows).length > 0 ? 1 : 0;
}

/** Three figures are all that the noise of such a measurement leaves. */
export function formatFigure(value: number): string {
  if (value >= 100 || value === 0) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
