/** A figure that was measured several times: its median, smallest and largest value. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function computeSpread(values: readonly number[]): Spread {
  return { median: computeMedian(values), min: Math.min(...values), max: Math.max(...values) };
}

export function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function computePercentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
