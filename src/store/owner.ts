/** The owner of orders and cases: a client for itself, or one person at that client. Stored as tags only. */
import type { Keyring } from '#store/keys/keyring.ts';

export interface RecordOwner {
  readonly clientId: string;
  /** Null if the client acts for itself (`client_credentials`). */
  readonly userId: string | null;
}

/** Cases have tags of another key, so that an order cannot be linked to its case. */
export function computeOrderOwnerTag(keyring: Keyring, owner: RecordOwner): string {
  return keyring.tag('order owner', formatOwner(owner));
}

/** The text behind a tag: must never change. Ids have no spaces, so no two owners give the same text. */
export function formatOwner({ clientId, userId }: RecordOwner): string {
  return userId === null ? clientId : `${clientId} user ${userId}`;
}
