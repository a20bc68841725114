/** Numbers and lengths of time in words, for sentences that do not use figures. */
import { DAY_MS, HOUR_MS } from './durations.ts';

const SMALL = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const TENS: Readonly<Record<number, string>> = { 20: 'twenty', 30: 'thirty', 60: 'sixty', 90: 'ninety' };

/** In figures where there is no short word. */
export function formatNumberInWords(count: number): string {
  return SMALL[count] ?? TENS[count] ?? String(count);
}

/** Whole days, or whole hours where it is no number of days. */
export function formatDurationInWords(ms: number): string {
  if (ms === DAY_MS) return 'a day';
  if (ms === HOUR_MS) return 'an hour';
  return ms % DAY_MS === 0
    ? `${formatNumberInWords(ms / DAY_MS)} days`
    : `${formatNumberInWords(ms / HOUR_MS)} hours`;
}
