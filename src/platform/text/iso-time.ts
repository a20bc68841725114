/** Formats stored times (milliseconds since the epoch) as ISO 8601. */
const ISO_DAY_LENGTH = 10;

export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

export function toIsoTimeOrNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}

/** Returns the day of an ISO 8601 time or day. */
export function cutIsoDay(isoTime: string): string {
  return isoTime.slice(0, ISO_DAY_LENGTH);
}
