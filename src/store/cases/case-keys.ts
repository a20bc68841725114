/** The sealed keys of cases, in a separate table: lists those not sealed to today's keys, and replaces them. */
import type { Expression, ExpressionBuilder, Insertable, SqlBool } from 'kysely';
import { prepareInsert, prepareQuery } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { countSelected, findRow, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import type { Case } from './cases.ts';

/** Lists cases in the order of their random ids, which reveal nothing about their age. */
export async function listCasesToReseal(
  records: Records,
  tag: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Case[]> {
  return await records
    .selectFrom('cases')
    .selectAll()
    .where(isSealedToOthers(tag))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Stops at the limit, because after a change of the keys it would count every case. */
export async function countCasesToReseal(
  records: Records,
  tag: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const others = records.selectFrom('cases').select('id').where(isSealedToOthers(tag)).limit(limit);
  return await countSelected(records.selectFrom(others.as('others')));
}

function isSealedToOthers(tag: string) {
  return (where: ExpressionBuilder<Tables, 'cases'>): Expression<SqlBool> =>
    where.and([where('purging', '=', 0), where('sealed_to', 'is distinct from', tag)]);
}

/** Finds the case whatever its purge date, because it is resealed until its purge begins. */
export async function findCaseToReseal(records: Records, id: string): Promise<Case | undefined> {
  return await findRow(records, 'cases', { id, purging: 0 });
}

export const insertCaseKeyRow = prepareInsert('case_keys');

export function buildCaseKeyRow(caseId: string, ciphertext: Uint8Array): Insertable<Tables['case_keys']> {
  return { number: toRowNumber(caseId), case_id: caseId, ciphertext };
}

const selectCiphertext = prepareQuery<
  { readonly number: number; readonly id: string },
  { ciphertext: Uint8Array }
>((records, { number, id }) =>
  records.selectFrom('case_keys').select('ciphertext').where('number', '=', number).where('case_id', '=', id),
);

export async function findCaseKey(records: Records, caseId: string): Promise<Uint8Array | undefined> {
  const [row] = await selectCiphertext(records, { number: toRowNumber(caseId), id: caseId });
  return row?.ciphertext;
}

interface CaseKeyChange {
  readonly previous: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly sealedTo: string | null;
}

/** Returns false if the key was replaced meanwhile, or the case is being purged. */
export async function replaceCaseKey(
  records: Records,
  id: string,
  { previous, ciphertext, sealedTo }: CaseKeyChange,
): Promise<boolean> {
  const kept = records.selectFrom('cases').select('id').where('id', '=', id).where('purging', '=', 0);
  const { numUpdatedRows } = await records
    .updateTable('case_keys')
    .set({ ciphertext })
    .where('number', '=', toRowNumber(id))
    .where('ciphertext', '=', previous)
    .where('case_id', 'in', kept)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  return await updateRows(records, 'cases', { id }, { sealed_to: sealedTo });
}
