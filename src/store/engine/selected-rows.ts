/** Counts or deletes the rows that a query selects. */
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

export async function countSelected<DB, Table extends keyof DB>(
  rows: SelectQueryBuilder<DB, Table, object>,
): Promise<number> {
  const counted = rows.select(sql<number>`count(*)`.as('count'));
  return ((await counted.executeTakeFirstOrThrow()) as { count: number }).count;
}

/** By key, because neither engine allows a limit on a deletion. Returns the number of deleted rows. */
export async function deleteSelected<Table extends keyof Tables>(
  records: Records,
  table: Table,
  key: keyof Tables[Table] & string,
  selected: Expression<unknown>,
): Promise<number> {
  const deletion = sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${selected})`;
  return Number((await deletion.execute(records)).numAffectedRows);
}
