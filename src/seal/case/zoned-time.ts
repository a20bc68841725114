/** Converts between local times in a time zone and points in time. */

const DAY_MS = 86_400_000;
const MINUTE_LENGTH = 16;

export function isTimeZone(zone: string): boolean {
  return findClockFormat(zone) !== null;
}

/** Such as 2026-12-31T14:30, on a day that exists. */
export function isWallTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)) return false;
  const time = new Date(`${text}:00.000Z`);
  // A date such as 31 February would otherwise roll over into March.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

/**
 * Null for an invalid time or an unknown zone. When clocks go back, a time occurs twice, and `occurrence` chooses;
 * a time that is skipped when they go forward is moved later by the length of the gap (RFC 5545 §3.3.5).
 */
export function toInstant(
  wallTime: string,
  zone: string,
  occurrence: 'first' | 'last' = 'first',
): number | null {
  if (!isWallTime(wallTime)) return null;
  const asUtc = Date.parse(`${wallTime}:00Z`);
  const before = findOffset(asUtc - DAY_MS, zone);
  const after = findOffset(asUtc + DAY_MS, zone);
  if (before === null || after === null) return null;
  const instants = [asUtc - before, asUtc - after].filter((time) => toWallTime(time, zone) === wallTime);
  if (instants.length === 0) return asUtc - before;
  return occurrence === 'first' ? Math.min(...instants) : Math.max(...instants);
}

/** Null if this machine does not know the zone, or cannot show the time. */
export function toWallTime(time: number, zone: string): string | null {
  const format = findClockFormat(zone);
  if (format === null || Number.isNaN(new Date(time).getTime())) return null;
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const [year, month, day, hour, minute] = (['year', 'month', 'day', 'hour', 'minute'] as const).map(
    (type) => parts.get(type) ?? '',
  );
  return `${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}`;
}

/** To the minute, such as 2026-12-31T13:30Z. */
export function toUtcMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, MINUTE_LENGTH)}Z`;
}

function findOffset(time: number, zone: string): number | null {
  const wallTime = toWallTime(time, zone);
  return wallTime === null ? null : Date.parse(`${wallTime}:00Z`) - time;
}

const clockFormats = new Map<string, Intl.DateTimeFormat>();
/** Limits the memory that zones sent by others can use. */
const MAX_CLOCK_FORMATS = 50;

/** Null if this machine does not know the zone. */
function findClockFormat(timeZone: string): Intl.DateTimeFormat | null {
  const known = clockFormats.get(timeZone);
  if (known) return known;
  try {
    const format = new Intl.DateTimeFormat('en-u-ca-iso8601-hc-h23-nu-latn', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    if (clockFormats.size < MAX_CLOCK_FORMATS) clockFormats.set(timeZone, format);
    return format;
  } catch {
    return null;
  }
}
