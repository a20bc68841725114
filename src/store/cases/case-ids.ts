/** Finds the ids of cases by how they begin. */
import { sql } from 'kysely';
import type { Records } from '../schema/tables.ts';
import { buildKeptFilter } from './cases.ts';

/** More of them would not help an investigator to choose. */
const MAX_IDS = 10;

/** Scans all cases, which is rare: an investigator typed the beginning. Those purged or due for it are not found. */
export async function listCaseIdsByBeginning(
  records: Records,
  beginnings: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await records
    .selectFrom('cases')
    .select('id')
    .where((where) =>
      where.or(beginnings.map((text) => where(sql`substr(id, 1, ${sql.lit(text.length)})`, '=', text))),
    )
    .where(buildKeptFilter(now))
    .limit(MAX_IDS)
    .execute();
  return rows.map(({ id }) => id).toSorted();
}
