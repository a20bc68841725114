/** Notes among investigators: stored in the case, but never shown to the buyer. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';
import { isSealedNote, NOTE_KIND } from '#seal/case/note.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { addToCase, matchesStoredObject, type StoredObject } from '#store/cases/objects.ts';
import { requireAdoptedSet } from '../sealing/recipient-set.ts';
import { requireCaseState, requireListedCase, UNWITHDRAWN_STATES } from '../states.ts';

export interface SealedNote {
  /** Its number among the notes; another note with the same number is refused. */
  readonly seq: number;
  readonly sealed: Uint8Array;
  /** Who adds it, if that is known. */
  readonly by: string | null;
}

/** A retry after a lost response adds no second note. */
export async function addCaseNote(
  { clock, store, sealingKeys }: Pick<Services, 'clock' | 'store' | 'sealingKeys'>,
  caseId: string,
  { seq, sealed, by }: SealedNote,
): Promise<Case> {
  const { desk, set } = await sealingKeys;
  if (!isSealedNote(sealed, desk)) throw new ServiceError('not_sealed');
  return await store.transaction(async (records) => {
    const now = clock.now();
    const { record, objects } = await requireListedCase({ ...store, records }, caseId, null, now);
    const notes = listNoteObjects(objects);
    const same = notes.find((note) => note.seq === seq);
    if (same) {
      if (await matchesStoredObject(records, same.id, sealed)) return record;
      throw new ServiceError('case_changed');
    }
    requireCaseState(record, UNWITHDRAWN_STATES);
    await requireAdoptedSet(records, set);
    if (seq >= MAX_MESSAGES)
      throw new ServiceError('case_state', { detail: `A case can have at most ${MAX_MESSAGES} notes.` });
    if (seq !== computeNextNoteSeq(notes)) throw new ServiceError('case_changed');
    const note = { id: generateId(), kind: NOTE_KIND, seq, bytes: sealed, now };
    const acts = [{ by, act: 'note', subject: { kind: 'case', id: caseId } }] as const;
    const added = await addToCase(records, note, { record, acts, now });
    if (!added) throw new ServiceError('case_changed');
    return added.record;
  });
}

export function listNoteObjects(objects: readonly StoredObject[]): StoredObject[] {
  return objects.filter(({ kind }) => kind === NOTE_KIND);
}

/** Counts missing notes too: the number of a lost one is not reused. */
function computeNextNoteSeq(notes: readonly StoredObject[]): number {
  return Math.max(0, ...notes.map(({ seq }) => seq + 1));
}
