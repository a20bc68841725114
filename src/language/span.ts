/** A span of time in words, for a sentence that reads better without digits. */
import type { Say } from './catalogue.ts';

const DAY_HOURS = 24;

/** In whole days if possible, else in hours. */
export function formatSpan(say: Say<'time.span_days' | 'time.span_hours'>, hours: number): string {
  return hours % DAY_HOURS === 0
    ? say('time.span_days', { days: hours / DAY_HOURS })
    : say('time.span_hours', { hours });
}
