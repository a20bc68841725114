/** Formats stored times (milliseconds since the epoch) as ISO 8601. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';

/** The texts of days that were formatted before: a date takes five times as long as the time of a day. */
const days = new Map<number, string>();
const MAX_DAYS = 100;
const ISO_DAY_LENGTH = 10;

export function toIsoTime(at: number): string {
  if (!Number.isSafeInteger(at)) return new Date(at).toISOString();
  const day = Math.floor(at / DAY_MS);
  const time = at - day * DAY_MS;
  const hours = padNumber(Math.floor(time / HOUR_MS), 2);
  const minutes = padNumber(Math.floor((time % HOUR_MS) / MINUTE_MS), 2);
  const seconds = padNumber(Math.floor((time % MINUTE_MS) / SECOND_MS), 2);
  return `${formatDay(day)}${hours}:${minutes}:${seconds}.${padNumber(time % SECOND_MS, 3)}Z`;
}

/** With the `T` that follows. */
function formatDay(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY_MS).toISOString();
  const date = text.slice(0, text.indexOf('T') + 1);
  if (days.size >= MAX_DAYS) days.clear();
  days.set(day, date);
  return date;
}

function padNumber(value: number, digits: 2 | 3): string {
  const tens = value < 10 ? `0${value}` : String(value);
  return digits === 3 && value < 100 ? `0${tens}` : tens;
}

/** The day of such a text, or of one that has no more than the day. */
export function cutIsoDay(isoTime: string): string {
  return isoTime.slice(0, ISO_DAY_LENGTH);
}

export function toIsoTimeOrNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
