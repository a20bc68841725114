/** A case message, `buyer-message.v1` or `desk-message.v1`: text, and optionally times for a call. */
import { callWindowsRule, checkCallWindowOrder } from './call-window.ts';
import {
  createFieldError,
  createIntegerRule,
  createOptionalRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from './fields.ts';

/** Each side of a case has its own kind of message. */
export const messageKinds = { buyer: 'buyer-message.v1', desk: 'desk-message.v1' } as const;

/** The two sides of a case. */
export type CaseActor = keyof typeof messageKinds;

/** For each side: enough for a conversation. */
export const MAX_MESSAGES = 200;

const messageRule = createRecordRule({
  text: createTextRule({ max: 4000 }),
  call_windows: callWindowsRule,
  /** This and `thread` are a `ThreadClaim`; a message may lack them. */
  seen: createOptionalRule(createIntegerRule(MAX_MESSAGES, 'Give the number of messages')),
  thread: createOptionalRule(createTextRule({ max: 43 })),
});

export type CaseMessage = RuleValue<typeof messageRule>;

export type CaseMessageValidation =
  | { readonly message: CaseMessage }
  | { readonly errors: readonly FieldError[] };

export function validateCaseMessage(value: unknown): CaseMessageValidation {
  const errors: FieldError[] = [];
  const message = messageRule(value, '', errors);
  if (message?.call_windows) checkCallWindowOrder(message.call_windows, errors);
  if (errors.length === 0 && message?.text.trim() === '' && message.call_windows.length === 0)
    errors.push(createFieldError('/text', 'missing', 'Write something'));
  return message && errors.length === 0 ? { message } : { errors };
}
