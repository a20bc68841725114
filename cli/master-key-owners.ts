/** Moves the owners of orders and cases to the new master key, by trying every client with every user. */
import { computeCaseOwnerTag } from '#cases/access.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#payments/owner.ts';
import { runInBatches } from '#store/batches.ts';
import {
  countOwnedRows,
  countRows,
  listOwnerTags,
  listRowIds,
  type OwnedTable,
  replaceOwnerTag,
} from '#store/sealed-rows.ts';
import type { Store } from '#store/store.ts';
import type { Records } from '#store/tables.ts';
import { createRowProgress, type KeyChange, type UnreadableRows } from './master-key-rows.ts';

const computeTag = { orders: computeOrderOwnerTag, cases: computeCaseOwnerTag } as const;

/** Returns the number of rows whose owner is not found: the client or user is gone, or the previous key is lost. */
export async function moveOwners(
  store: Store,
  { from, to }: KeyChange,
  table: OwnedTable,
  unreadable: UnreadableRows,
): Promise<number> {
  const { records } = store;
  const progress = createRowProgress(`programs with ${table}`, await countRows(records, 'clients'));
  const unknown = new Set(await listOwnerTags(records, table));
  for await (const clientId of listAllIds(records, 'clients')) {
    if (unknown.size === 0) break;
    progress.add(1);
    for await (const owner of listOwnersAt(records, clientId)) {
      if (unknown.size === 0) break;
      const tag = computeTag[table](to, owner);
      unknown.delete(tag);
      const previous = from && computeTag[table](from, owner);
      if (previous !== null && unknown.delete(previous)) await replaceOwner(store, table, previous, tag);
    }
  }
  progress.finish();
  let lost = 0;
  for (const owner of unknown) {
    lost += await countOwnedRows(records, table, owner);
    if (unreadable === 'give up') await replaceOwner(store, table, owner, null);
  }
  return lost;
}

async function* listOwnersAt(records: Records, clientId: string): AsyncGenerator<RecordOwner> {
  yield { clientId, userId: null };
  for await (const userId of listAllIds(records, 'users')) yield { clientId, userId };
}

async function* listAllIds(records: Records, table: 'clients' | 'users'): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const ids = await listRowIds(records, table, { after, limit: 1_000 });
    yield* ids;
    after = ids.at(-1) ?? '';
    if (after === '') return;
  }
}

async function replaceOwner(
  store: Store,
  table: OwnedTable,
  previous: string,
  owner: string | null,
): Promise<void> {
  await runInBatches(store, (records, limit) => replaceOwnerTag(records, table, { previous, owner, limit }));
}
