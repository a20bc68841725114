/** One row of the result: what was measured, its target, and whether it was met. */
import type { Spread } from './spread.ts';

export interface BenchRow {
  readonly work: string;
  /** Null where it cannot be measured; the details say why. */
  readonly measured: Spread | null;
  /** What stands behind the figure, such as ` ×` or ` ms`. */
  readonly unit: string;
  /** The largest median that is good enough. */
  readonly target: number;
  /** Null if it was not measured. */
  readonly met: boolean | null;
  readonly details: readonly string[];
}

export function createBenchRow(row: Omit<BenchRow, 'met'>): BenchRow {
  const { measured, target } = row;
  return { ...row, met: measured === null ? null : measured.median <= target };
}

/** A bench that breaks off has met nothing; the others go on. */
export function createFailedRow(work: string, error: unknown): BenchRow {
  const reason = error instanceof Error ? error.message : String(error);
  const details = [`failed: ${reason.replaceAll(/\s+/g, ' ')}`];
  return { work, measured: null, unit: '', target: 0, met: false, details };
}

export function listMissedRows(rows: readonly BenchRow[]): BenchRow[] {
  return rows.filter(({ met }) => met === false);
}

/** Three figures are all that the noise of such a measurement leaves. */
export function formatFigure(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
