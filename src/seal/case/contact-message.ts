/** The contact message `contact.v1`: validated by the same rules everywhere and sealed to the desk without a case. */
import { type AgeIdentity, type AgeRecipient, openSealedBytes, sealBytes } from '../core/age.ts';
import { checkFrame, decodeFrameBody, encodeFrame } from '../core/frame.ts';
import type { SealedHeader } from '../core/header.ts';
import { SealError } from '../core/seal-error.ts';
import {
  type Checked,
  createChoiceRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from '../form/field-rules.ts';

export const CONTACT_TOPICS = [
  'question',
  'payment',
  'press',
  'abuse_report',
  'privacy_request',
  'security',
] as const;
/** In characters. */
export const CONTACT_LENGTHS = { message: { min: 10, max: 4000 }, replyTo: { max: 254 } } as const;

const contactMessageRule = createRecordRule({
  topic: createChoiceRule(CONTACT_TOPICS),
  message: createTextRule(CONTACT_LENGTHS.message),
  reply_to: createTextRule(CONTACT_LENGTHS.replyTo),
});

export type ContactMessage = RuleValue<typeof contactMessageRule>;

/** There is no case, so no key to authenticate with: anyone may write to the desk. */
const header: SealedHeader = { kind: 'contact.v1', case: '', seq: 0 };

export function validateContactMessage(value: unknown): Checked<'message', ContactMessage> {
  const errors: FieldError[] = [];
  const message = contactMessageRule(value, '', errors);
  return message && errors.length === 0 ? { message } : { errors };
}

export async function sealContactMessage(
  message: ContactMessage,
  recipients: readonly AgeRecipient[],
): Promise<Uint8Array> {
  return await sealBytes(encodeFrame(header, message), recipients);
}

/** The author is not authenticated: validate the result with `validateContactMessage` before showing it. */
export async function openContactMessage(sealed: Uint8Array, identity: AgeIdentity): Promise<unknown> {
  const frame = await openSealedBytes(sealed, identity);
  checkFrame(frame, header);
  const { value } = decodeFrameBody(frame);
  if (value === undefined) throw new SealError('tampered');
  return value;
}
