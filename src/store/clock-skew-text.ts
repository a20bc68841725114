/** Explains to the operator why there is clock skew. */
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { ClockAlarm } from './clock-guard.ts';

const comparisons: Readonly<Record<ClockAlarm['reason'], string>> = {
  ahead: 'the service last saw',
  behind: 'the service had already seen',
  jumped: 'going by the time that has passed, it should be',
  database: "the database's clock shows",
};

export function formatClockAlarm({ reason, clock, expected }: ClockAlarm): string {
  return `this machine shows ${formatMinute(clock)}, but ${comparisons[reason]} ${formatMinute(expected)}`;
}

/** Without seconds, which do not matter here. */
function formatMinute(time: number): string {
  return `${toIsoTime(time).slice(0, 16).replace('T', ' ')} UTC`;
}
