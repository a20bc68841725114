/** Queries of a change of the master key: the rows with boxes and tags, and their replacements if still as they were read. */
import type { Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Records, Tables } from './tables.ts';

/** Tables whose rows are sealed or tagged and have an id. */
export type RotatedTable =
  | 'callback_events'
  | 'callbacks'
  | 'cases'
  | 'notices'
  | 'orders'
  | 'registrations'
  | 'sign_in_codes'
  | 'tokens'
  | 'users';

export async function listRotatedRows<Table extends RotatedTable>(
  records: Records,
  table: Table,
  { after, limit }: { readonly after: { readonly id: string } | null; readonly limit: number },
): Promise<Selectable<Tables[Table]>[]> {
  const rows = await records
    .selectFrom(table as 'orders')
    .selectAll()
    .where('id', '>', after?.id ?? '')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as unknown as Selectable<Tables[Table]>[];
}

/** Changes nothing if a column is no longer as it was read; returns whether it did. */
export async function replaceRotatedRow<Table extends RotatedTable>(
  records: Records,
  table: Table,
  read: { readonly id: string } & Partial<Selectable<Tables[Table]>>,
  change: Updateable<Tables[Table]>,
): Promise<boolean> {
  let query = records.updateTable(table as 'orders').set(change as Updateable<Tables['orders']>);
  for (const [column, value] of Object.entries(read)) query = query.where(sql.ref(column), '=', value);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

type KeptSecretRow = Selectable<Tables['kept_secrets']>;

export async function listKeptSecrets(
  records: Records,
  after: KeptSecretRow | null,
  limit: number,
): Promise<KeptSecretRow[]> {
  return await records
    .selectFrom('kept_secrets')
    .selectAll()
    .where('name', '>', after?.name ?? '')
    .orderBy('name')
    .limit(limit)
    .execute();
}

export async function replaceKeptSecret(
  records: Records,
  { name, box: former }: KeptSecretRow,
  box: Uint8Array,
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('kept_secrets')
    .set({ box })
    .where('name', '=', name)
    .where('box', '=', former)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Uploads that are not yet part of a case. */
export async function replaceUploadHolder(
  records: Records,
  former: string,
  holder: string,
): Promise<boolean> {
  const query = records.updateTable('objects').set({ holder }).where('holder', '=', former);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

export type OwnedTable = 'orders' | 'cases';

/** Leaps from one owner to the next, however many rows each has. */
export async function listOwnerTags(records: Records, table: OwnedTable): Promise<string[]> {
  const owners: string[] = [];
  for (let after = ''; ; ) {
    const row = await records
      .selectFrom(table as 'orders')
      .select('owner')
      .where('owner', '>', after)
      .orderBy('owner')
      .limit(1)
      .executeTakeFirst();
    if (row?.owner == null) return owners;
    owners.push(row.owner);
    after = row.owner;
  }
}

/** Returns how many of the owner's rows were changed; fewer than the limit if none is left. */
export async function replaceOwnerTag(
  records: Records,
  table: OwnedTable,
  { former, owner, limit }: { readonly former: string; readonly owner: string; readonly limit: number },
): Promise<number> {
  const rows = records
    .selectFrom(table as 'orders')
    .select('id')
    .where('owner', '=', former)
    .limit(limit);
  const { numUpdatedRows } = await records
    .updateTable(table as 'orders')
    .set({ owner })
    .where('id', 'in', rows)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function countOwnedRows(
  records: Records,
  table: OwnedTable,
  owners: readonly string[],
): Promise<number> {
  const { count } = await records
    .selectFrom(table as 'orders')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('owner', 'in', owners)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function listRowIds(
  records: Records,
  table: 'clients' | 'users',
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await records
    .selectFrom(table)
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function countRotatedRows(records: Records, table: keyof Tables): Promise<number> {
  const { count } = await records
    .selectFrom(table as 'orders')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
