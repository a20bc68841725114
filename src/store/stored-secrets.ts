/** Secrets that the service makes for itself: made once, sealed, the same for every process. */
import type { Keyring, Purpose } from './keyring.ts';
import type { Store } from './store.ts';

/** The first of several makers wins. */
export async function keepSecret(
  { store, keyring }: { readonly store: Store; readonly keyring: Keyring },
  name: Purpose,
  make: () => Promise<string>,
): Promise<string> {
  const kept = await readSecret(store, name);
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
  return keyring.open(name, (await readSecret(store, name)) ?? box, name);
}

async function readSecret({ records }: Store, name: string): Promise<Uint8Array | undefined> {
  const row = await records
    .selectFrom('kept_secrets')
    .select('box')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.box;
}
