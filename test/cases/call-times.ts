/** Proposed times for a call that are in the future whenever a test runs. */
import { DAY_MS } from '#platform/durations.ts';

export const CALL_NUMBER = '+44 20 7946 0000';

/** Returns a window from ten to twelve o'clock in Paris. */
export function createCallTimes(daysAhead = 3) {
  const day = new Date(Date.now() + daysAhead * DAY_MS).toISOString().slice(0, 10);
  const window = { start: `${day}T10:00`, end: `${day}T12:00`, zone: 'Europe/Paris' };
  return {
    day,
    window,
    fields: {
      call_number: CALL_NUMBER,
      call_1_start: window.start,
      call_1_end: window.end,
      call_zone: window.zone,
    },
  };
}
