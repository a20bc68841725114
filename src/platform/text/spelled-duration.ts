/** Writes numbers and durations in words, for sentences without digits. */
import { DAY_MS, HOUR_MS } from '../durations.ts';

const SMALL = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const TENS: Readonly<Record<number, string>> = { 20: 'twenty', 30: 'thirty', 60: 'sixty', 90: 'ninety' };

/** Falls back to digits for a number without a short word. */
export function formatNumberInWords(count: number): string {
  return SMALL[count] ?? TENS[count] ?? String(count);
}

/** In whole days if possible, else in hours. */
export function formatDurationInWords(ms: number): string {
  if (ms === DAY_MS) return 'a day';
  if (ms === HOUR_MS) return 'an hour';
  return ms % DAY_MS === 0
    ? `${formatNumberInWords(ms / DAY_MS)} days`
    : `${formatNumberInWords(ms / HOUR_MS)} hours`;
}
