/** A time range in which the buyer can be called. */
import {
  createFieldError,
  createListRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from '../form/fields.ts';
import { isWallTime, toInstant } from './zoned-time.ts';

export const MAX_CALL_WINDOWS = 5;
/** Clocks differ, and a form takes a while to fill in. */
const LATE_MS = 15 * 60_000;
const FARTHEST_MS = 366 * 86_400_000;

/** Local times in `zone`, which the reader's machine may not know. */
const callWindowRule = createRecordRule({
  start: createTextRule({ min: 1, max: 64, allows: isWallTime }),
  end: createTextRule({ min: 1, max: 64, allows: isWallTime }),
  zone: createTextRule({ min: 1, max: 64 }),
});

export type CallWindow = RuleValue<typeof callWindowRule>;

export const callWindowsRule = createListRule(callWindowRule, MAX_CALL_WINDOWS);

/** Skips parts that failed their own rule. */
export function checkCallWindowOrder(
  windows: readonly (Partial<CallWindow> | undefined)[],
  errors: FieldError[],
): void {
  for (const [index, window] of windows.entries()) {
    if (!window?.start || !window.end || window.start < window.end) continue;
    errors.push(createFieldError(`/call_windows/${index}/end`, 'order'));
  }
}

/** For windows being sent now, which must not be past or far ahead. Skips parts that failed their own rule. */
export function checkUpcomingWindows(
  windows: readonly (Partial<CallWindow> | undefined)[],
  errors: FieldError[],
  now: number,
): void {
  for (const [index, window] of windows.entries()) {
    if (!window?.start || !window.zone) continue;
    const start = toInstant(window.start, window.zone);
    const pointer = `/call_windows/${index}`;
    if (start === null) errors.push(createFieldError(`${pointer}/zone`, 'refused'));
    else if (!isUpcoming(start, now))
      errors.push(createFieldError(`${pointer}/start`, start < now ? 'past' : 'far'));
  }
}

/** Neither past nor more than a year away. */
export function isUpcoming(time: number, now: number): boolean {
  return time > now - LATE_MS && time < now + FARTHEST_MS;
}
