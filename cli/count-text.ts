/** Writes a number with its noun. */

/** Takes the plural, which for our nouns ends in s: `1 case`, `2 cases`. */
export function formatCount(count: number, nouns: string): string {
  return `${count} ${count === 1 ? nouns.replace(/s$/, '') : nouns}`;
}
