/** A time range in which the buyer can be called. */
import {
  createFieldError,
  createListRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from './fields.ts';

export const MAX_CALL_WINDOWS = 5;
const WALL_TIME = 'Write date and time as 2026-12-31T14:30';

/** Local times in `zone`. */
const callWindowRule = createRecordRule({
  start: createTextRule({
    min: 1,
    max: 64,
    missing: 'Say when the call may begin',
    allows: isWallTime,
    refused: WALL_TIME,
  }),
  end: createTextRule({
    min: 1,
    max: 64,
    missing: 'Say when the call must end',
    allows: isWallTime,
    refused: WALL_TIME,
  }),
  zone: createTextRule({
    min: 1,
    max: 64,
    missing: 'Choose the time zone',
    allows: isTimeZone,
    refused: 'Choose a time zone such as Europe/Paris',
  }),
});

export type CallWindow = RuleValue<typeof callWindowRule>;

export const callWindowsRule = createListRule(
  callWindowRule,
  MAX_CALL_WINDOWS,
  `Give at most ${MAX_CALL_WINDOWS} times for the call`,
);

/** Skips parts that failed their own rule. */
export function checkCallWindowOrder(
  windows: readonly (Partial<CallWindow> | undefined)[],
  errors: FieldError[],
): void {
  for (const [index, window] of windows.entries()) {
    if (!window?.start || !window.end || window.start < window.end) continue;
    errors.push(createFieldError(`/call_windows/${index}/end`, 'order', 'The call must end after it begins'));
  }
}

function isWallTime(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(value)) return false;
  const time = new Date(`${value}:00.000Z`);
  // A date such as 31 February would otherwise roll over into March.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value);
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
