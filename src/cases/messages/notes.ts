/** Notes among investigators: kept in the case, and nowhere in what the buyer sees. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';
import { isSealedNote, NOTE_KIND } from '#seal/case/note.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import type { Case } from '#store/cases/cases.ts';
import {
  insertObject,
  listCaseObjects,
  matchesStoredObject,
  type StoredObject,
} from '#store/cases/objects.ts';
import { CASE_STATES, type CaseState } from '#wire/case-states.ts';
import { requireAdoptedSet } from '../sealing/recipient-set.ts';
import { requireCase, requireCaseState } from '../states.ts';

export interface SealedNote {
  /** Its number among the notes; another note with the same number is refused. */
  readonly seq: number;
  readonly sealed: Uint8Array;
  /** Who adds it, if that is known. */
  readonly by: string | null;
}

/** A buyer who withdraws a case ends everything about it. */
export const NOTE_STATES: readonly CaseState[] = CASE_STATES.filter((state) => state !== 'withdrawn');

/** A retry after a lost response adds no second note. */
export async function addCaseNote(
  { clock, store, sealingKeys }: Pick<Services, 'clock' | 'store' | 'sealingKeys'>,
  caseId: string,
  { seq, sealed, by }: SealedNote,
): Promise<Case> {
  const { desk, set } = await sealingKeys;
  if (!isSealedNote(sealed, desk)) throw new ServiceError('not_sealed');
  return await store.transaction(async (records) => {
    const record = await requireCase(records, caseId, clock.now());
    const notes = listNoteObjects(await listCaseObjects(records, caseId));
    const same = notes.find((note) => note.seq === seq);
    if (same) {
      if (await matchesStoredObject(records, same.id, sealed)) return record;
      throw new ServiceError('case_changed');
    }
    requireCaseState(record, NOTE_STATES);
    await requireAdoptedSet(records, set);
    if (seq >= MAX_MESSAGES)
      throw new ServiceError('case_state', { detail: `A case can have at most ${MAX_MESSAGES} notes.` });
    if (seq !== computeNextNoteSeq(notes)) throw new ServiceError('case_changed');
    const now = clock.now();
    await insertObject(records, { id: generateId(), caseId, kind: NOTE_KIND, seq, bytes: sealed, now });
    await appendAuditEntry(records, { by, act: 'note', subject: { kind: 'case', id: caseId } }, now);
    return record;
  });
}

export function listNoteObjects(objects: readonly StoredObject[]): StoredObject[] {
  return objects.filter(({ kind }) => kind === NOTE_KIND);
}

/** Counts missing notes, too: the number of a lost one is not given again. */
function computeNextNoteSeq(notes: readonly StoredObject[]): number {
  return Math.max(0, ...notes.map(({ seq }) => seq + 1));
}
