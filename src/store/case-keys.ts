/** The sealed keys of cases: which of them are not sealed to today's keys, and putting a new one in its place. */
import { sql } from 'kysely';
import type { Case } from './cases.ts';
import type { Records } from './tables.ts';

/** Written out, as in the partial index, which SQLite would not use otherwise. */
const notPurging = sql<boolean>`purging = 0`;

/** The next of the sets that cases are sealed to, in the order of their tags; null after the last. */
export async function findNextSealedSet(records: Records, after: string): Promise<string | null> {
  const row = await records
    .selectFrom('cases')
    .select('sealed_to')
    .where(notPurging)
    .where('sealed_to', '>', after)
    .orderBy('sealed_to')
    .limit(1)
    .executeTakeFirst();
  return row?.sealed_to ?? null;
}

/** By their random ids, which say nothing about their age. Null for cases of which nobody knows the set. */
export async function listCasesSealedTo(
  records: Records,
  tag: string | null,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Case[]> {
  return await records
    .selectFrom('cases')
    .selectAll()
    .where(notPurging)
    .where('sealed_to', tag === null ? 'is' : '=', tag)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Whatever its date: it is sealed again for as long as its purge has not begun. */
export async function findCaseToReseal(records: Records, id: string): Promise<Case | undefined> {
  return await records
    .selectFrom('cases')
    .selectAll()
    .where(notPurging)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Stops at the limit, because after a change of the keys it would count every case. */
export async function countCasesToReseal(
  records: Records,
  tag: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const sealed = records.selectFrom('cases').select('id').where(notPurging).limit(limit);
  let count = 0;
  for (const others of [
    sealed.where('sealed_to', 'is', null),
    sealed.where('sealed_to', '<', tag),
    sealed.where('sealed_to', '>', tag),
  ]) {
    const row = await records
      .selectFrom(others.as('others'))
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    count += Number(row.count);
  }
  return Math.min(count, limit);
}

/** Returns false if its key is another one meanwhile, or the case is being purged. */
export async function replaceCaseKey(
  records: Records,
  { id, key_box: former }: Pick<Case, 'id' | 'key_box'>,
  change: Pick<Case, 'key_box' | 'sealed_to'>,
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('cases')
    .set(change)
    .where('id', '=', id)
    .where('key_box', '=', former)
    .where('purging', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
