/** The owner of an order: a tag of its client, under another key than the owner tags of cases. */
import type { Keyring } from '#store/keyring.ts';

export function computeOrderOwnerTag(keyring: Keyring, clientId: string): string {
  return keyring.tag('order owner', clientId);
}
