/** The provider's session id: a capability, so it is stored only as a tag (for lookup) and encrypted. */
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { findOrderBySession, type Order } from '#store/orders/orders.ts';

const SESSION_ID = /^\w{10,250}$/;

export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && SESSION_ID.test(value);
}

export function computeSessionTag(keyring: Keyring, sessionId: string): string {
  return keyring.tag('order session', sessionId);
}

export async function findSessionOrder(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  sessionId: string,
): Promise<Order | undefined> {
  return await findOrderBySession(store.records, computeSessionTag(keyring, sessionId));
}

export function encryptSessionId(keyring: Keyring, sessionId: string, orderId: string) {
  return {
    tag: computeSessionTag(keyring, sessionId),
    ciphertext: keyring.seal('order session', sessionId, orderId),
  };
}

export function decryptSessionId(keyring: Keyring, { id, session_ciphertext }: Order): string | null {
  return session_ciphertext === null ? null : keyring.open('order session', session_ciphertext, id);
}
