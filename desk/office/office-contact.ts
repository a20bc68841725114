/** What the desk's pages may ask of the office about contact messages. */
import type { ContactMessage } from '#seal/contact-message.ts';

export interface ContactOffice {
  /** What nobody has handled, the oldest first; `after` goes on with a list. */
  readContact(after?: string): Promise<OfficeContact>;
  /** Opens a message of a list with the own key. */
  openContact(id: string): Promise<OpenedContact>;
  /** From then on it waits for nobody, and is purged earlier. */
  resolveContact(id: string): Promise<void>;
}

export interface OfficeContact {
  readonly messages: readonly WaitingContact[];
  /** Where the list goes on. */
  readonly next: string | null;
}

export interface WaitingContact {
  readonly id: string;
  /** Milliseconds since the epoch, as the office tells them. */
  readonly receivedAt: number;
  readonly purgeAt: number;
  readonly sealedBy: string;
  /** Null until it is opened in this run. */
  readonly opened: OpenedContact | null;
}

/** Anyone may have written it. */
export type OpenedContact =
  | { readonly said: ContactMessage }
  | { readonly unreadable: string; readonly isOtherKey?: boolean };
