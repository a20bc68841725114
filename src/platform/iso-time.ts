/** Times as programs read them (ISO 8601), from the milliseconds that are stored. */

export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

export function toIsoTimeOrNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
