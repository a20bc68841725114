/** Formats a time span in words, for sentences that read better without digits. */
import type { Say } from './catalogue.ts';

const DAY_HOURS = 24;

/** Uses whole days if possible, else hours. */
export function formatSpan(say: Say<'time.span_days' | 'time.span_hours'>, hours: number): string {
  return hours % DAY_HOURS === 0
    ? say('time.span_days', { days: hours / DAY_HOURS })
    : say('time.span_hours', { hours });
}
