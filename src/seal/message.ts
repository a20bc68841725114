/** A message of a case `buyer-message.v1` or `desk-message.v1`: text, and the times for a call where it is about one. */
import { callWindowsRule, checkCallWindowOrder } from './call-window.ts';
import type { FieldError } from './fields.ts';
import { createRecordRule, createTextRule, type RuleValue } from './fields.ts';

/** Each side of a case writes under a kind of its own. */
export const messageKinds = { buyer: 'buyer-message.v1', desk: 'desk-message.v1' } as const;

/** The two sides of a case. */
export type CaseActor = keyof typeof messageKinds;

const message = createRecordRule({
  text: createTextRule({ max: 4000 }),
  call_windows: callWindowsRule,
});

export type CaseMessage = RuleValue<typeof message>;

export type CaseMessageValidation =
  | { readonly message: CaseMessage }
  | { readonly errors: readonly FieldError[] };

export function validateCaseMessage(value: unknown): CaseMessageValidation {
  const errors: FieldError[] = [];
  const read = message(value, '', errors);
  if (read?.call_windows) checkCallWindowOrder(read.call_windows, errors);
  if (errors.length === 0 && read?.text.trim() === '' && read.call_windows.length === 0)
    errors.push({ pointer: '/text', detail: 'Write something' });
  return read && errors.length === 0 ? { message: read } : { errors };
}
