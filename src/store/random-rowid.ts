/** Tables of large rows, which SQLite finds by a number: a random one, so that their order tells nothing about time. */
import { SqliteAdapter, sql } from 'kysely';
import type { Records, Tables } from './tables.ts';

export const ROWID_TABLES: readonly string[] = [
  'cases',
  'contact_messages',
  'object_pieces',
] satisfies (keyof Tables)[];

/** Part of every row that is inserted into one of these tables. Without it, SQLite would count. */
export function createRandomRowid(records: Records, table: keyof Tables): object {
  const isNumbered = ROWID_TABLES.includes(table) && records.getExecutor().adapter instanceof SqliteAdapter;
  return isNumbered ? { rowid: sql`random()` } : {};
}
