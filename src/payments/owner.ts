/** Whose an order is: a tag of the client, under a key that no case shares. */
import type { Keyring } from '#store/keyring.ts';

export function computeOrderOwnerTag(keyring: Keyring, clientId: string): string {
  return keyring.tag('order owner', clientId);
}
