/** Lets what is being stored be stored first, before something changes that it may not have seen. */
import { sql } from 'kysely';
import type { Records } from '../schema/tables.ts';
import type { Store } from '../store.ts';
import { isPostgres } from './prepared.ts';

type LockedTable = 'cases' | 'orders';

/**
 * First in a transaction: nothing else writes to the table until that ends. A statement locks its table before it looks at
 * anything, so each has either written already or sees what the transaction changes. On SQLite writers follow each other.
 */
export async function keepOutWriters(locked: Records, table: LockedTable): Promise<void> {
  if (isPostgres(locked)) await sql`lock table ${sql.table(table)} in share mode`.execute(locked);
}

/** What begins to be written later sees everything that was committed before. */
export async function awaitWriters(
  { records, transaction }: Pick<Store, 'records' | 'transaction'>,
  table: LockedTable,
): Promise<void> {
  if (isPostgres(records)) await transaction((locked) => keepOutWriters(locked, table), 'read committed');
}
