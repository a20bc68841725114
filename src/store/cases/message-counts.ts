/** How many objects of some kinds each of several cases has. */
import type { SealedKind } from '#seal/core/header.ts';
import type { Records } from '../schema/tables.ts';

/** By case and kind, up to the last number: a missing object counts, because its number is not given again. */
export async function countCaseObjects(
  records: Records,
  caseIds: readonly string[],
  kinds: readonly SealedKind[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const counts = new Map<string, Map<string, number>>(caseIds.map((id) => [id, new Map()]));
  if (caseIds.length === 0) return counts;
  const rows = await records
    .selectFrom('objects')
    .select(({ fn }) => ['case_id', 'kind', fn.max('seq').as('last')])
    .where('case_id', 'in', caseIds)
    .where('kind', 'in', kinds)
    .groupBy(['case_id', 'kind'])
    .execute();
  for (const { case_id: id, kind, last } of rows) counts.get(id ?? '')?.set(kind ?? '', (last ?? -1) + 1);
  return counts;
}
