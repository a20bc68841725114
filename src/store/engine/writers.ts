/** Waits for what is being stored, before something changes that it may not have seen. */
import { sql } from 'kysely';
import type { Records } from '../schema/tables.ts';
import type { Store } from '../store.ts';
import { isPostgres } from './prepared.ts';

type LockedTable = 'cases' | 'orders';

/**
 * Called first in a transaction: nothing else writes to the table until that ends. A statement locks its table before
 * it reads anything, so each has either written already or sees what the transaction changes. On SQLite, writers take
 * turns anyway.
 */
export async function keepOutWriters(locked: Records, table: LockedTable): Promise<void> {
  if (isPostgres(locked)) await sql`lock table ${sql.table(table)} in share mode`.execute(locked);
}

/** Whatever is written after this sees what was committed before. */
export async function awaitWriters(
  { records, transaction }: Pick<Store, 'records' | 'transaction'>,
  table: LockedTable,
): Promise<void> {
  if (isPostgres(records)) await transaction((locked) => keepOutWriters(locked, table), 'read committed');
}
