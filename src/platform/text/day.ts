/** Days in UTC, stored in place of a time where the hour would reveal too much. */
import { DAY_MS } from '../durations.ts';

/** Returns the first moment of the day, in epoch milliseconds. */
export function cutToDay(at: number): number {
  return at - (at % DAY_MS);
}
