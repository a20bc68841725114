/** Waits for pending writes before a change that they may not have seen. */
import { sql } from 'kysely';
import type { Records } from '../schema/tables.ts';
import type { Store } from '../store.ts';
import { isPostgres } from './prepared.ts';

type LockedTable = 'cases' | 'orders';

/**
 * Called first in a transaction: nothing else writes to the table until the transaction ends. A statement locks its
 * table before it reads anything, so it has either written already or sees the changes of the transaction. On SQLite,
 * writers take turns anyway.
 */
export async function keepOutWriters(locked: Records, table: LockedTable): Promise<void> {
  if (isPostgres(locked)) await sql`lock table ${sql.table(table)} in share mode`.execute(locked);
}

/** Writes that begin after this see everything committed before it. */
export async function awaitWriters(
  { records, transaction }: Pick<Store, 'records' | 'transaction'>,
  table: LockedTable,
): Promise<void> {
  if (isPostgres(records)) await transaction((locked) => keepOutWriters(locked, table), 'read committed');
}
