/** Deletes the rows that a query names by their key: a deletion itself can have no limit on either engine. */
import { type Expression, sql } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

/** Returns the number of deleted rows. */
export async function deleteSelected<Table extends keyof Tables>(
  records: Records,
  table: Table,
  key: keyof Tables[Table] & string,
  selected: Expression<unknown>,
): Promise<number> {
  const deletion = sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${selected})`;
  return Number((await deletion.execute(records)).numAffectedRows);
}
