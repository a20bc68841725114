/** Formats stored times (milliseconds since the epoch) as ISO 8601. */

export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

export function toIsoTimeOrNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
