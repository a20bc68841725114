/** Times in words for investigators, in the zone of their own machine and in UTC. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { toWallTime } from '#seal/case/zoned-time.ts';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

export const DESK_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const DATE_LENGTH = 10;
/** Within this many days, the name of a weekday is unambiguous. */
const NAMED_DAYS = 6;

/** Such as `13:40`. */
export function formatDeskHour(time: number, zone = DESK_ZONE): string {
  return readWallTime(time, zone).slice(DATE_LENGTH + 1);
}

/** Short enough for a list, such as `today 13:40`, `Wed 07:15` or `3 Dec 09:00`. */
export function formatDeskTime(time: number, now: number, zone = DESK_ZONE): string {
  return `${formatShortDay(time, now, zone)} ${formatDeskHour(time, zone)}`;
}

/** Such as `today at 13:40, 12:40 UTC`; the UTC day only if it differs. */
export function formatTimeInBoth(time: number, now: number, zone = DESK_ZONE): string {
  const here = readWallTime(time, zone);
  const utc = readWallTime(time, 'UTC');
  const local = `${formatDeskDay(time, now, zone)} at ${formatDeskHour(time, zone)}`;
  if (here === utc) return `${local} UTC`;
  const isSameDay = here.slice(0, DATE_LENGTH) === utc.slice(0, DATE_LENGTH);
  return `${local}, ${isSameDay ? formatDeskHour(time, 'UTC') : formatDeskTime(time, now, 'UTC')} UTC`;
}

/** Such as `today`, `tomorrow`, `Wed` or `3 Dec`. */
export function formatDeskDay(time: number, now: number, zone = DESK_ZONE): string {
  const days = countDaysBetween(now, time, zone);
  if (days === 1) return 'tomorrow';
  return days === -1 ? 'yesterday' : formatShortDay(time, now, zone);
}

/** The same for a narrow column. */
function formatShortDay(time: number, now: number, zone: string): string {
  const days = countDaysBetween(now, time, zone);
  if (days === 0) return 'today';
  const isNear = Math.abs(days) <= NAMED_DAYS;
  const parts = isNear ? ({ weekday: 'short' } as const) : ({ day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone }).format(time);
}

function countDaysBetween(from: number, to: number, zone: string): number {
  const toDay = (time: number) => Date.parse(readWallTime(time, zone).slice(0, DATE_LENGTH));
  return Math.round((toDay(to) - toDay(from)) / DAY_MS);
}

function readWallTime(time: number, zone: string): string {
  return toWallTime(time, zone) ?? new Date(time).toISOString().slice(0, DATE_LENGTH + 6);
}

/** Such as `3 hours`, `20 minutes` or `4 days`; hours up to three days, because that is how a desk counts. */
export function formatLength(ms: number): string {
  const span = Math.abs(ms);
  if (span < HOUR_MS) return formatUnits(Math.max(1, Math.round(span / MINUTE_MS)), 'minute');
  if (span < 3 * DAY_MS) return formatUnits(Math.round(span / HOUR_MS), 'hour');
  return formatUnits(Math.round(span / DAY_MS), 'day');
}

function formatUnits(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatClockTime(at: Date): string {
  return clock.format(at);
}
