/** Moves the owners of orders and cases to the new master key, by trying every client with every user. */
import { computeCaseOwnerTag } from '#cases/access.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#payments/owner.ts';
import type { KeyringKey } from '#store/keyring.ts';
import {
  countOwnedRows,
  listOwnerTags,
  listRowIds,
  type OwnedTable,
  replaceOwnerTag,
} from '#store/rotation-rows.ts';
import type { Records } from '#store/tables.ts';
import type { KeyedCliServices } from './cli-services.ts';

const BATCH = 100;
const computeTag = { orders: computeOrderOwnerTag, cases: computeCaseOwnerTag } as const;

interface OwnerCounts {
  readonly moved: number;
  /** Rows whose client or user is gone, so that nobody can ask for them. */
  readonly lost: number;
}

/** `onClient` is told of each client that was tried. */
export async function moveOwners(
  services: KeyedCliServices,
  table: OwnedTable,
  onClient: (count: number) => void,
): Promise<OwnerCounts> {
  const { keyring, store } = services;
  const [first, ...others] = keyring.keys as [KeyringKey, ...KeyringKey[]];
  const unknown = new Set(await listOwnerTags(store.records, table));
  let moved = 0;
  for await (const clientId of listAllIds(store.records, 'clients')) {
    onClient(1);
    for await (const owner of listOwnersAt(store.records, clientId)) {
      if (unknown.size === 0) break;
      const tag = computeTag[table](first, owner);
      unknown.delete(tag);
      for (const key of others) {
        const former = computeTag[table](key, owner);
        if (unknown.delete(former)) moved += await moveOwner(services, table, { former, owner: tag });
      }
    }
  }
  return { moved, lost: await countRows(store.records, table, [...unknown]) };
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

async function moveOwner(
  { store }: KeyedCliServices,
  table: OwnedTable,
  { former, owner }: { readonly former: string; readonly owner: string },
): Promise<number> {
  let moved = 0;
  for (;;) {
    const count = await store.transaction((records) =>
      replaceOwnerTag(records, table, { former, owner, limit: BATCH }),
    );
    moved += count;
    if (count < BATCH) return moved;
  }
}

async function countRows(records: Records, table: OwnedTable, owners: readonly string[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < owners.length; at += BATCH)
    count += await countOwnedRows(records, table, owners.slice(at, at + BATCH));
  return count;
}
