/** A message of a case `buyer-message.v1` or `desk-message.v1`: text, and the times for a call where it is about one. */
import { callWindow, checkOrderOfTimes, MAX_CALL_WINDOWS } from './call-window.ts';
import type { FieldError } from './fields.ts';
import { list, record, text, type ValueOf } from './fields.ts';

const message = record({
  text: text({ max: 4000 }),
  call_windows: list(callWindow, MAX_CALL_WINDOWS, 'Give at most 5 times for the call'),
});

export type Message = ValueOf<typeof message>;

export type CheckedMessage = { readonly message: Message } | { readonly errors: readonly FieldError[] };

export function validateMessage(value: unknown): CheckedMessage {
  const errors: FieldError[] = [];
  const read = message(value, '', errors);
  if (read?.call_windows) checkOrderOfTimes(read.call_windows, errors);
  if (errors.length === 0 && read?.text.trim() === '' && read.call_windows.length === 0)
    errors.push({ pointer: '/text', detail: 'Write something' });
  return read && errors.length === 0 ? { message: read } : { errors };
}
