/** The sealed keys of cases: which of them are not sealed to today's keys, and putting a new one in its place. */
import type { Case } from './cases.ts';
import type { Records } from './tables.ts';

/** By their random ids, which say nothing about their age. */
export async function listCasesToReseal(
  records: Records,
  tag: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Case[]> {
  return await records
    .selectFrom('cases')
    .selectAll()
    .where('purging', '=', 0)
    .where((where) => where.or([where('sealed_to', 'is', null), where('sealed_to', '<>', tag)]))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countCasesToReseal(records: Records, tag: string): Promise<number> {
  const { count } = await records
    .selectFrom('cases')
    .select((select) => select.fn.countAll<number | string>().as('count'))
    .where('purging', '=', 0)
    .where((where) => where.or([where('sealed_to', 'is', null), where('sealed_to', '<>', tag)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns false if the case is being purged. */
export async function replaceCaseKey(
  records: Records,
  id: string,
  change: Pick<Case, 'key_box' | 'sealed_to'>,
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('cases')
    .set(change)
    .where('id', '=', id)
    .where('purging', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
