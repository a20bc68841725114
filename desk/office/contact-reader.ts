/** Reads contact messages from the office: listed oldest first, opened one by one with the investigator's key. */
import { createHash } from 'node:crypto';
import type { PinFile } from '#desk/keys/pin-file.ts';
import {
  type ContactMessage,
  openContactMessage,
  validateContactMessage,
} from '#seal/case/contact-message.ts';
import { toSealError } from '#seal/core/age.ts';
import { type DeskContact, DeskContactSchema } from '#wire/desk-lists.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';
import { toListPath } from './page-walk.ts';

export interface OfficeContact {
  readonly messages: readonly WaitingContact[];
  /** The cursor of the next page. */
  readonly next: string | null;
}

export interface WaitingContact {
  readonly id: string;
  /** Milliseconds since the epoch, as the office reports them. */
  readonly receivedAt: number;
  readonly purgeAt: number;
  readonly sealedBy: string;
  /** Null until it is opened in this run. */
  readonly opened: OpenedContact | null;
}

/** Untrusted: anyone may have written it. */
export type OpenedContact =
  | { readonly said: ContactMessage }
  | { readonly unreadable: string; readonly isOtherKey?: boolean };

type SealedMessage = DeskContact['messages'][number];

interface KnownMessage {
  readonly digest: string;
  readonly sealed: string;
  opened: OpenedContact | null;
}

/** Messages of this run by id; a message that was seen must not change. */
export type KnownMessages = Map<string, KnownMessage>;

/** Room for fifty of the largest messages that a sender can seal. */
const MAX_CONTACT_BYTES = 32 * 1024 * 1024;
/** Two pages; a message listed before those must be listed again before it is opened. */
const MAX_MESSAGES = 100;

export async function readContactPage(
  signer: OfficeSigner,
  known: KnownMessages,
  after: string | undefined,
): Promise<OfficeContact> {
  const { messages, next } = await fetchContactPage(signer, after);
  return {
    messages: messages.map((message) => ({
      id: message.id,
      receivedAt: Date.parse(message.received_at),
      purgeAt: Date.parse(message.purge_at),
      sealedBy: message.sealed_by,
      opened: rememberMessage(known, message).opened,
    })),
    next,
  };
}

async function fetchContactPage(signer: OfficeSigner, after: string | undefined): Promise<DeskContact> {
  const path = toListPath('/contact', after);
  const page = await signer.ask(DeskContactSchema, { method: 'GET', path, maxBytes: MAX_CONTACT_BYTES });
  if (new Set(page.messages.map(({ id }) => id)).size < page.messages.length)
    throw createHostileFault('it has the same contact message twice');
  return page;
}

function rememberMessage(messages: KnownMessages, { id, sealed }: SealedMessage): KnownMessage {
  const digest = createHash('sha256').update(sealed).digest('base64url');
  const known = messages.get(id);
  if (known && known.digest !== digest)
    throw createHostileFault('a contact message differs from the one that it sent before under the same id');
  const message = known ?? { digest, sealed, opened: null };
  messages.delete(id);
  messages.set(id, message);
  const [oldest] = messages.keys();
  if (messages.size > MAX_MESSAGES && oldest !== undefined) messages.delete(oldest);
  return message;
}

export async function openKnownMessage(
  key: PinFile,
  messages: KnownMessages,
  id: string,
): Promise<OpenedContact> {
  const message = messages.get(id);
  if (!message)
    throw new OfficeFault(
      'refused',
      'This message is no longer waiting: a colleague has handled it, or it was purged.',
    );
  message.opened ??= await openMessage(Buffer.from(message.sealed, 'base64url'), key);
  return message.opened;
}

async function openMessage(sealed: Uint8Array, { identity }: PinFile): Promise<OpenedContact> {
  try {
    const checked = validateContactMessage(await openContactMessage(sealed, identity));
    return 'errors' in checked
      ? { unreadable: 'Its content is not a contact message, so it is not shown.' }
      : { said: checked.message };
  } catch (error) {
    // Anyone may write to the desk, so sealed content must never crash it.
    const fault = toSealError(error);
    if (fault.code !== 'wrong_key') return { unreadable: fault.message };
    return {
      unreadable: 'It is not sealed to your key. A colleague may be able to open it.',
      isOtherKey: true,
    };
  }
}

export async function resolveContactMessage(signer: OfficeSigner, id: string): Promise<void> {
  try {
    await signer.send({ method: 'POST', path: `/contact/${id}/done`, maxBytes: 1024 });
  } catch (error) {
    if (!(error instanceof OfficeFault) || error.code !== 'case_state') throw error;
    throw new OfficeFault('refused', 'A colleague has already marked this message as done.', error);
  }
}
