/** Queries for a change of the master key: the rows that are sealed or tagged with it. */
import { type Selectable, sql, type Updateable, type UpdateObject } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { UserTag } from '../clients/users.ts';
import {
  chooseRows,
  countMatching,
  countSelected,
  deleteRows,
  deleteSelected,
  updateRows,
  updateSome,
} from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

/** Tables whose rows are moved to the new key, each with its primary key. */
const SEALED_TABLES = {
  webhook_events: 'id',
  webhooks: 'id',
  case_webhooks: 'case_id',
  cases: 'id',
  kept_secrets: 'name',
  notices: 'id',
  order_webhooks: 'order_id',
  orders: 'id',
  registrations: 'id',
  users: 'id',
} as const satisfies { readonly [Table in keyof Tables]?: keyof Tables[Table] };

export type SealedTable = keyof typeof SEALED_TABLES;
export type SealedRow<Table extends SealedTable> = Selectable<Tables[Table]>;

const VALUES_AT_ONCE = 1_000;

/** Tables whose values cannot be computed again; the rows live for a month at most, most of them for a day. */
const SHORT_LIVED_TABLES = {
  draft_keys: 'form_tag',
  idempotency: 'key_tag',
  provider_events: 'id',
  sign_in_codes: 'id',
  tokens: 'id',
} as const satisfies { readonly [Table in keyof Tables]?: keyof Tables[Table] };

export type ShortLivedTable = keyof typeof SHORT_LIVED_TABLES;
export const shortLivedTables = Object.keys(SHORT_LIVED_TABLES) as ShortLivedTable[];

export function readRowKey<Table extends SealedTable>(table: Table, row: SealedRow<Table>): string {
  return (row as Record<string, unknown>)[SEALED_TABLES[table]] as string;
}

/** In the order of the primary key. */
export async function listSealedRows<Table extends SealedTable>(
  records: Records,
  table: Table,
  page: RowPage,
): Promise<SealedRow<Table>[]> {
  const rows = await choosePage(records, table, SEALED_TABLES[table], page).selectAll().execute();
  return rows as unknown as SealedRow<Table>[];
}

interface RowPage {
  readonly after: string;
  readonly limit: number;
}

function choosePage(db: Records, table: keyof Tables, by: string, { after, limit }: RowPage) {
  return chooseRows(db, table as 'orders', { [by]: ['>', after] }, { by: by as 'id', limit });
}

function matchKey<Table extends SealedTable>(table: Table, key: string) {
  return { [SEALED_TABLES[table]]: key } as Partial<SealedRow<Table>>;
}

export async function updateSealedRow<Table extends SealedTable>(
  records: Records,
  table: Table,
  key: string,
  change: Updateable<Tables[Table]>,
): Promise<void> {
  await updateRows(records, table, matchKey<Table>(table, key), change as UpdateObject<Tables, Table>);
}

export async function deleteSealedRow(records: Records, table: SealedTable, key: string): Promise<void> {
  await deleteRows(records, table, matchKey(table, key));
}

/** Returns the id of another row with this unique tag; null if there is none. */
export async function findTaggedId(
  records: Records,
  table: 'webhooks' | 'users',
  tag: UserTag | { readonly client_tag: string },
  id: string,
): Promise<string | null> {
  const query = chooseRows<'users'>(records, table as 'users', tag as UserTag);
  return (await query.select('id').where('id', '!=', id).executeTakeFirst())?.id ?? null;
}

/** Changes the uploader of uploads that are not yet part of a case. */
export async function replaceUploader(records: Records, previous: string, uploader: string): Promise<void> {
  await updateRows(records, 'objects', { uploader: previous }, { uploader });
}

export type OwnedTable = 'orders' | 'cases';

/** Skips from one owner to the next, however many rows each has. */
export async function listOwnerTags(records: Records, table: OwnedTable): Promise<string[]> {
  const owners: string[] = [];
  for (let after = ''; ; ) {
    const next = chooseRows(records, table as 'orders', { owner: ['>', after] }, { by: 'owner', limit: 1 });
    const row = await next.select('owner').executeTakeFirst();
    if (row?.owner == null) return owners;
    owners.push(row.owner);
    after = row.owner;
  }
}

/** Returns how many of the owner's rows were changed; fewer than the limit if none is left. */
export async function replaceOwnerTag(
  records: Records,
  table: OwnedTable,
  {
    previous,
    owner,
    limit,
  }: { readonly previous: string; readonly owner: string | null; readonly limit: number },
): Promise<number> {
  return await updateSome(records, table as 'orders', { owner: previous }, { owner }, limit);
}

export async function countOwnedRows(records: Records, table: OwnedTable, owner: string): Promise<number> {
  return await countMatching(records, table, { owner });
}

/** Lists every value of a column, page by page. */
export async function* listValues(
  records: Records,
  [table, column]: readonly ['clients' | 'users', 'id'] | readonly ['cases', 'lookup_hash'],
): AsyncGenerator<string> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = choosePage(records, table, column, { after, limit: VALUES_AT_ONCE });
    const rows = await page.select(sql.ref<string>(column).as('value')).execute();
    for (const { value } of rows) yield value;
    after = rows.at(-1)?.value;
  }
}

export async function countRows(records: Records, table: SealedTable | 'clients'): Promise<number> {
  return await countSelected(records.selectFrom(table as 'orders'));
}

function selectShortLived(records: Records, table: ShortLivedTable) {
  const query = records
    .selectFrom(table as 'sign_in_codes')
    .select(sql.ref<string>(SHORT_LIVED_TABLES[table]).as('key'));
  // Other tokens are stored as hashes. Written out, as in the partial index, which SQLite would not use otherwise.
  return table === 'tokens' ? query.where(sql<boolean>`kind in ('Interaction', 'Session')`) : query;
}

export async function countShortLived(records: Records, table: ShortLivedTable): Promise<number> {
  return await countSelected(records.selectFrom(selectShortLived(records, table).as('row')));
}

/** Returns the number of deleted rows. */
export async function deleteShortLived(
  records: Records,
  table: ShortLivedTable,
  limit: number,
): Promise<number> {
  const rows = selectShortLived(records, table).limit(limit);
  return await deleteSelected(records, table, SHORT_LIVED_TABLES[table] as never, rows);
}

/** Paid and unused orders whose form a browser may remember in a cookie. */
export async function countOpenForms(records: Records, now: number): Promise<number> {
  const open = { payment: ['in', ['paid', 'processing']], redeemed: 0 } as const;
  return await countMatching(records, 'orders', { ...open, created_at: ['>', now - FORM_DAYS * DAY_MS] });
}

/** Links to credentials that were sent and not yet used. */
export async function countOpenOffers(records: Records, now: number): Promise<number> {
  return await countMatching(records, 'registrations', { offer_until: ['>', now] });
}
