/** Shortens a result: of the rows of one group only the worst is left. */
import type { BenchRow } from './row.ts';

export function pickWorstRows(rows: readonly BenchRow[]): BenchRow[] {
  const worst = new Map<string, BenchRow>();
  for (const row of rows) {
    const key = row.group ?? row.work;
    const former = worst.get(key);
    if (!former || computeShare(row) > computeShare(former)) worst.set(key, row);
  }
  return [...worst].map(([key, row]) => (row.group ? { ...row, work: `${key}: ${row.work}` } : row));
}

/** What was measured as a part of the target: above 1 it was missed. */
export function computeShare({ measured, target, met }: BenchRow): number {
  if (met === false && measured === null) return Number.POSITIVE_INFINITY;
  if (measured === null || target === null) return 0;
  if (target > 0) return measured.median / target;
  return measured.median > 0 ? Number.POSITIVE_INFINITY : 0;
}
