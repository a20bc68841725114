/** Counts of what waits for the desk: cases by state, contact messages. */
import type { Selectable } from 'kysely';
import type { CaseState } from '#wire/case-states.ts';
import { prepareInsert } from '../engine/prepared.ts';
import { countSelected, findRow, upsertRow } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type DigestLine = Selectable<Tables['digest_lines']>;

export async function countCasesInState(records: Records, state: CaseState): Promise<number> {
  return await countSelected(records.selectFrom('cases').where('state', '=', state).where('purging', '=', 0));
}

export async function countOpenContactMessages(records: Records): Promise<number> {
  return await countSelected(records.selectFrom('contact_messages').where('done_at', 'is', null));
}

export const insertDigestLine = prepareInsert('digest_lines');

/** Lists, unordered, the lines that are due by then and in no digest yet. */
export async function listDigestLines(records: Records, dueBy: number): Promise<DigestLine[]> {
  return await records.selectFrom('digest_lines').selectAll().where('due_at', '<=', dueBy).execute();
}

/** Deletes the one line of an act that was taken back before it was due. */
export async function deleteDigestLine(records: Records, line: Omit<DigestLine, 'id'>): Promise<void> {
  const { act, who, had_by: hadBy, due_at: dueAt } = line;
  const alike = records
    .selectFrom('digest_lines')
    .select('id')
    .where('act', '=', act)
    .where('who', 'is not distinct from', who)
    .where('had_by', '=', hadBy)
    .where('due_at', '=', dueAt)
    .limit(1);
  await records.deleteFrom('digest_lines').where('id', 'in', alike).execute();
}

export async function deleteDigestLines(records: Records, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await records.deleteFrom('digest_lines').where('id', 'in', ids).execute();
}

/** Read without a lock first. Returns undefined before the first digest. */
export async function findDigestSlot(records: Records): Promise<number | undefined> {
  return (await findRow(records, 'desk_digests', { id: 1 }))?.slot;
}

export async function updateDigestSlot(records: Records, slot: number): Promise<void> {
  await upsertRow(records, 'desk_digests', 'id', { id: 1, slot }, { slot });
}
