/** Pages that are bounded by their bytes, and not by their number alone. */

/** How many fit, counted from the first; at least one, or a reader could never get past it. */
export function countFitting(sizes: readonly number[], maxBytes: number): number {
  let left = maxBytes;
  for (const [index, size] of sizes.entries()) {
    left -= size;
    if (left < 0) return Math.max(1, index);
  }
  return sizes.length;
}
