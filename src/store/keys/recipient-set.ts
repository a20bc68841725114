/** The row of the recipient set: which public keys cases are sealed to, as a tag. */
import { type Selectable, sql } from 'kysely';
import { prepareFind } from '../engine/prepared.ts';
import { insertIfNew, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

type RecipientSetRow = Selectable<Tables['recipient_set']>;
export type RecipientSet = Pick<RecipientSetRow, 'tag' | 'members'>;

const findById = prepareFind('recipient_set', 'id');

export async function findRecipientSet(records: Records): Promise<RecipientSetRow | undefined> {
  return await findById(records, 1);
}

/** If several instances start for the first time at once, the first one wins. */
export async function insertRecipientSet(records: Records, set: RecipientSet): Promise<void> {
  await insertIfNew(records, 'recipient_set', { id: 1, changes: 0, ...set });
}

/** Returns false if the set is no longer the one with the tag `previous`. */
export async function replaceRecipientSet(
  records: Records,
  previous: string,
  set: RecipientSet,
): Promise<boolean> {
  const changes = set.tag === previous ? {} : { changes: sql<number>`changes + 1` };
  return await updateRows(records, 'recipient_set', { tag: previous }, { ...set, ...changes });
}
