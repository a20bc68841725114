/** Secrets that the service makes for itself: made once, sealed, the same for every process. */
import type { KeyPurpose, Keyring } from './keyring.ts';
import type { Store } from './store.ts';

/** The first of several makers wins. */
export async function loadOrCreateSecret(
  { store, keyring }: { readonly store: Store; readonly keyring: Keyring },
  name: KeyPurpose,
  make: () => Promise<string>,
): Promise<string> {
  const kept = await findSecretBox(store, name);
  if (kept) return keyring.open(name, kept, name);
  const box = keyring.seal(name, await make(), name);
  await store.transaction(
    async (records) =>
      await records
        .insertInto('kept_secrets')
        .values({ name, box })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
  );
  return keyring.open(name, (await findSecretBox(store, name)) ?? box, name);
}

async function findSecretBox({ records }: Store, name: string): Promise<Uint8Array | undefined> {
  const row = await records
    .selectFrom('kept_secrets')
    .select('box')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.box;
}
