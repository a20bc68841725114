/** The sealed keys of cases, in a separate table: lists those not sealed to today's keys, and replaces them. */
import type { Insertable } from 'kysely';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { chooseRows, countSelected, findRow, listRows, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import type { Case } from './cases.ts';

/** Lists cases in the order of their random ids, which reveal nothing about their age. */
export async function listCasesToReseal(
  records: Records,
  tag: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Case[]> {
  const others = { ...matchSealedToOthers(tag), id: ['>', after] } as const;
  return await listRows(records, 'cases', others, { by: 'id', limit });
}

/** Stops at the limit, because after a change of the keys it would count every case. */
export async function countCasesToReseal(
  records: Records,
  tag: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const others = chooseRows(records, 'cases', matchSealedToOthers(tag), { limit }).select('id');
  return await countSelected(records.selectFrom(others.as('others')));
}

function matchSealedToOthers(tag: string) {
  return { purging: 0, sealed_to: ['is distinct from', tag] } as const;
}

/** Finds the case whatever its purge date, because it is resealed until its purge begins. */
export async function findCaseToReseal(records: Records, id: string): Promise<Case | undefined> {
  return await findRow(records, 'cases', { id, purging: 0 });
}

export const insertCaseKeyRow = prepareInsert('case_keys');

export function buildCaseKeyRow(caseId: string, ciphertext: Uint8Array): Insertable<Tables['case_keys']> {
  return { number: toRowNumber(caseId), case_id: caseId, ciphertext };
}

const findByNumber = prepareFind('case_keys', 'number', 'case_id');

export async function findCaseKey(records: Records, caseId: string): Promise<Uint8Array | undefined> {
  return (await findByNumber(records, toRowNumber(caseId), caseId))?.ciphertext;
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
  const kept = chooseRows(records, 'cases', { id, purging: 0 }).select('id');
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
