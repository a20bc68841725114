/** The contact message `contact.v1`: checked by the same rules everywhere, sealed to the desk without a case. */
import { type Identity, open, type Recipient, seal } from './age.ts';
import { choice, type FieldError, record, text, type ValueOf } from './fields.ts';
import { checkFrame, frameBody, writeFrame } from './frame.ts';
import type { Header } from './header.ts';

const contactMessage = record({
  topic: choice(
    ['question', 'press', 'abuse_report', 'privacy_request', 'security'],
    'Choose what this is about',
  ),
  message: text({ min: 10, max: 4000, missing: 'Write at least 10 characters, so that we can answer' }),
  reply_to: text({ max: 254 }),
});

export type ContactMessage = ValueOf<typeof contactMessage>;

export type CheckedContactMessage =
  | { readonly message: ContactMessage }
  | { readonly errors: readonly FieldError[] };

/** There is no case, hence no key to authenticate with: anyone may write to the desk. */
const header: Header = { kind: 'contact.v1', case: '', seq: 0 };

export function validateContactMessage(value: unknown): CheckedContactMessage {
  const errors: FieldError[] = [];
  const message = contactMessage(value, '', errors);
  return message && errors.length === 0 ? { message } : { errors };
}

export async function sealContactMessage(
  message: ContactMessage,
  recipients: readonly Recipient[],
): Promise<Uint8Array> {
  return await seal(writeFrame(header, message), recipients);
}

/** What was sealed, whoever wrote it: check it with `validateContactMessage` before showing it. */
export async function openContactMessage(sealed: Uint8Array, identity: Identity): Promise<unknown> {
  const frame = await open(sealed, identity);
  checkFrame(frame, header);
  return frameBody(frame);
}
