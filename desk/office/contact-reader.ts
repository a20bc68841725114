/** Reads contact messages from the office: listed oldest first, opened one by one with the investigator's key. */
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
import { toListPath } from './waiting-lists.ts';

export interface OfficeContact {
  readonly messages: readonly WaitingContact[];
  readonly next: string | null;
}

export interface WaitingContact {
  readonly id: string;
  /** Milliseconds since the epoch, as the office reports them. */
  readonly receivedAt: number;
  readonly purgeAt: number;
  readonly sealedBy: string;
}

/** Untrusted: anyone may have written it. */
export type OpenedContact =
  | { readonly said: ContactMessage }
  | { readonly unreadable: string; readonly isOtherKey?: boolean };

interface KnownMessage {
  readonly sealed: string;
  opened: OpenedContact | null;
}

/** Room for fifty of the largest messages that a sender can seal. */
const MAX_CONTACT_BYTES = 32 * 1024 * 1024;
/** Two pages; a message listed before those must be listed again before it is opened. */
const MAX_MESSAGES = 100;

export class ContactReader {
  readonly #signer: OfficeSigner;
  readonly #key: PinFile;
  /** Messages of this run by id; a message that was seen must not change. */
  readonly #known = new Map<string, KnownMessage>();

  constructor(signer: OfficeSigner, key: PinFile) {
    this.#signer = signer;
    this.#key = key;
  }

  /** Messages that wait, the oldest first; `after` continues a list. */
  async read(after?: string): Promise<OfficeContact> {
    const path = toListPath('/contact', after);
    const { messages, next } = await this.#signer.read(DeskContactSchema, path, MAX_CONTACT_BYTES);
    if (new Set(messages.map(({ id }) => id)).size < messages.length)
      throw createHostileFault('it has the same contact message twice');
    const waiting = messages.map((message) => {
      this.#remember(message);
      const { id, received_at: receivedAt, purge_at: purgeAt, sealed_by: sealedBy } = message;
      return { id, receivedAt: Date.parse(receivedAt), purgeAt: Date.parse(purgeAt), sealedBy };
    });
    return { messages: waiting, next };
  }

  #remember({ id, sealed }: DeskContact['messages'][number]): void {
    const known = this.#known.get(id);
    if (known && known.sealed !== sealed)
      throw createHostileFault(
        'a contact message differs from the one that it sent before under the same id',
      );
    this.#known.delete(id);
    this.#known.set(id, known ?? { sealed, opened: null });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_MESSAGES && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Opens a message of a list with the investigator's key. */
  async open(id: string): Promise<OpenedContact> {
    const message = this.#known.get(id);
    if (!message)
      throw new OfficeFault(
        'refused',
        'This message is no longer waiting: a colleague has handled it, or it was purged.',
      );
    message.opened ??= await openMessage(Buffer.from(message.sealed, 'base64url'), this.#key);
    return message.opened;
  }

  /** Afterwards the message no longer waits, and is purged earlier. */
  async resolve(id: string): Promise<void> {
    try {
      await this.#signer.send({ method: 'POST', path: `/contact/${id}/done`, maxBytes: 1024 });
    } catch (error) {
      if (!(error instanceof OfficeFault) || error.code !== 'case_state') throw error;
      throw new OfficeFault('refused', 'A colleague has already marked this message as done.', error);
    }
    this.#known.delete(id);
  }

  forget(): void {
    this.#known.clear();
  }
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
