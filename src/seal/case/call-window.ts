/** The number at which the buyer can be called, and the time ranges. */
import {
  createFieldError,
  createListRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from '../form/field-rules.ts';
import { isWallTime, toInstant } from './zoned-time.ts';

export const MAX_CALL_NUMBER = 40;
export const MAX_CALL_WINDOWS = 5;
/** Clocks differ, and a form takes a while to fill in. */
const LATE_MS = 15 * 60_000;
const FARTHEST_MS = 366 * 86_400_000;

/** A sealed number may be any short text; `checkSentCall` checks a new one. */
export const callNumberRule = createTextRule({ max: MAX_CALL_NUMBER });

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

interface SentCall {
  readonly call_windows: readonly CallWindow[];
  readonly call_number: string;
}

/** For what is being sent now. Parts that failed their own rule are undefined. */
export function checkSentCall(
  { call_windows: windows, call_number: number }: Partial<SentCall>,
  errors: FieldError[],
  now: number,
): void {
  if (windows) checkUpcomingWindows(windows, errors, now);
  if (number !== undefined) checkCallNumber(number, (windows?.length ?? 0) > 0, errors);
}

/** Windows must not be past or far ahead. Skips parts that failed their own rule. */
function checkUpcomingWindows(
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

function checkCallNumber(number: string, isNeeded: boolean, errors: FieldError[]): void {
  const pointer = '/call_number';
  if (number.trim() === '') {
    if (isNeeded) errors.push(createFieldError(pointer, 'missing'));
    return;
  }
  if (!isCallNumber(number)) errors.push(createFieldError(pointer, 'refused'));
}

/** Digits as people write them; the longest number has 15 (ITU-T E.164 §6.2.1). */
function isCallNumber(text: string): boolean {
  const digits = text.replace(/[\s().-]/g, '');
  return /^\+?\d{5,15}$/.test(digits);
}
