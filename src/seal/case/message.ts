/** A case message, `buyer-message.v1` or `desk-message.v1`: text, its meaning, and optional files or call times. */

import {
  type Checked,
  createChoiceRule,
  createFieldError,
  createGeneralError,
  createIntegerRule,
  createOptionalRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from '../form/field-rules.ts';
import { checkInquiryFilesTotal, inquiryFilesRule, MAX_INQUIRY_FILES } from '../form/inquiry-files.ts';
import { bookedCallRule } from './booked-call.ts';
import { callNumberRule, callWindowsRule, checkCallWindowOrder, checkSentCall } from './call-window.ts';
import { findingsClaimRule } from './finding.ts';

/** Each side of a case has its own kind of message. */
export const messageKinds = { buyer: 'buyer-message.v1', desk: 'desk-message.v1' } as const;

/** The two sides of a case. */
export type CaseActor = keyof typeof messageKinds;

/** Per side; enough for a conversation. */
export const MAX_MESSAGES = 200;

export const MAX_MESSAGE_CHARACTERS = 4000;

/** For all messages of one case together. */
export const MAX_MESSAGE_FILES = 100;
export const MAX_MESSAGE_FILES_MIB = 100;

/** Files of different messages never have the same place, so that none can be passed off as another. */
export function toMessageFileSeq(messageSeq: number, index: number): number {
  return messageSeq * MAX_INQUIRY_FILES + index;
}

/** What a message of the desk does to its case. */
export const DESK_MESSAGE_ACTS = ['message', 'ask', 'decline', 'book_call', 'retain'] as const;
export type DeskMessageAct = (typeof DESK_MESSAGE_ACTS)[number];

/** Longer than any retention. */
const MAX_KEEP_DAYS = 36_500;

const messageRule = createRecordRule({
  text: createTextRule({ max: MAX_MESSAGE_CHARACTERS }),
  call_windows: callWindowsRule,
  call_number: callNumberRule,
  /** The time that the desk has booked. */
  call: createOptionalRule(bookedCallRule),
  /** This and the next three are from the desk only; messages sealed before these fields existed lack them. */
  act: createOptionalRule(createChoiceRule(DESK_MESSAGE_ACTS)),
  /** With `retain`. */
  keep_days: createOptionalRule(createIntegerRule(MAX_KEEP_DAYS)),
  findings: createOptionalRule(findingsClaimRule),
  /** See `hashDeskAuthor`. */
  author: createOptionalRule(createTextRule({ max: 43 })),
  /** From the buyer only, within the limits of an inquiry; see `toMessageFileSeq` for the place of each. */
  files: inquiryFilesRule,
  /** This and `thread` are a `ThreadClaim`; a message may lack them. */
  seen: createOptionalRule(createIntegerRule(MAX_MESSAGES)),
  thread: createOptionalRule(createTextRule({ max: 43 })),
});

export type CaseMessage = RuleValue<typeof messageRule>;

interface MessageContext {
  readonly by?: CaseActor;
  /** The time of sending; absent for sealed content, whose call times may have passed since. */
  readonly now?: number;
}

export function validateCaseMessage(
  value: unknown,
  { by = 'buyer', now }: MessageContext = {},
): Checked<'message', CaseMessage> {
  const errors: FieldError[] = [];
  const message = messageRule(value, '', errors);
  if (message?.call_windows) checkCallWindowOrder(message.call_windows, errors);
  if (message && by !== 'desk') checkBuyerFields(message, errors);
  if (message?.files) checkInquiryFilesTotal(message.files, errors);
  if (errors.length === 0 && message && isEmptyMessage(message))
    errors.push(createFieldError('/text', 'missing'));
  if (message && now !== undefined) checkSentCall(message, errors, now);
  return message && errors.length === 0 ? { message } : { errors };
}

function checkBuyerFields(
  { call, act, keep_days, findings, author }: CaseMessage,
  errors: FieldError[],
): void {
  if (call) errors.push(createFieldError('/call', 'refused'));
  for (const [name, value] of Object.entries({ act, keep_days, findings, author }))
    if (value !== null) errors.push(createGeneralError(`/${name}`, 'unknown'));
}

function isEmptyMessage({ text, call_windows: windows, call, files }: CaseMessage): boolean {
  return text.trim() === '' && windows.length === 0 && call === null && files.length === 0;
}
