/** Secrets that the service generates for itself once, such as the signing key, stores encrypted, and shares between its processes. */
import { findRow, insertIfNew } from '../engine/selected-rows.ts';
import type { Store } from '../store.ts';
import type { KeyPurpose, Keyring } from './keyring.ts';

/** If several processes create the secret at once, the first one wins. */
export async function loadOrCreateSecret(
  { store, keyring }: { readonly store: Store; readonly keyring: Keyring },
  name: KeyPurpose,
  generate: () => Promise<string>,
): Promise<string> {
  const stored = await findSecretCiphertext(store, name);
  if (stored) return keyring.open(name, stored, name);
  const ciphertext = keyring.seal(name, await generate(), name);
  await store.transaction((records) => insertIfNew(records, 'kept_secrets', { name, ciphertext }));
  return keyring.open(name, (await findSecretCiphertext(store, name)) ?? ciphertext, name);
}

async function findSecretCiphertext({ records }: Store, name: string): Promise<Uint8Array | undefined> {
  return (await findRow(records, 'kept_secrets', { name }))?.ciphertext;
}
