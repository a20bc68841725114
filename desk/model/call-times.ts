/** The times at which a call can begin, taken from the buyer's proposals and named in both zones. */
import { MINUTE_MS } from '#platform/durations.ts';
import type { CallWindow } from '#seal/case/call-window.ts';
import { isTimeZone, toInstant, toWallTime } from '#seal/case/zoned-time.ts';
import { DESK_ZONE, formatDeskTime } from './desk-time.ts';

const STEP_MS = 30 * MINUTE_MS;
/** A window may be long, but the list must stay readable. */
const MAX_STEPS = 48;

/** Each window as the buyer entered it, such as `2026-11-18 16:00 to 18:00, Europe/Paris`, with its future times. */
export function listCallTimes(windows: readonly CallWindow[], now: number) {
  return windows
    .map((window) => ({ label: formatWindow(window), begins: listBegins(window, now) }))
    .filter(({ begins }) => begins.length > 0);
}

function listBegins({ start, end, zone }: CallWindow, now: number) {
  const from = toInstant(start, zone);
  const to = toInstant(end, zone, 'last');
  if (from === null || to === null) return [];
  const steps = Math.min(MAX_STEPS, Math.ceil((to - from) / STEP_MS));
  return Array.from({ length: Math.max(0, steps) }, (_, step) => from + step * STEP_MS)
    .filter((at) => at > now)
    .map((at) => ({ at, label: formatBegin(at, zone, now) }));
}

function formatBegin(at: number, zone: string, now: number): string {
  const here = formatDeskTime(at, now);
  const there = toWallTime(at, zone)?.slice(11) ?? '';
  return zone === DESK_ZONE ? here : `${here} (${there} there)`;
}

function formatWindow({ start, end, zone }: CallWindow): string {
  const [startDay, startHour] = start.split('T');
  const [endDay, endHour] = end.split('T');
  return `${startDay} ${startHour} to ${startDay === endDay ? '' : `${endDay} `}${endHour}, ${zone}`;
}

/** The buyer reads the time in the zone of the proposed times. */
export function pickBuyerZone(windows: readonly CallWindow[]): string {
  const zone = windows[0]?.zone ?? '';
  return isTimeZone(zone) ? zone : 'UTC';
}
