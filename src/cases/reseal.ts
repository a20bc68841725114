/** Seals the keys and notes of all open cases again, to the keys of today; the cases themselves stay as they are. */
import { ServiceError } from '#platform/errors.ts';
import { giveWay } from '#platform/turns.ts';
import type { AgeIdentity } from '#seal/age.ts';
import { type CaseKey, openCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { resealCaseNote } from '#seal/note.ts';
import { SealError } from '#seal/seal-error.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { findNextSealedSet, listCasesSealedTo, replaceCaseKey } from '#store/case-keys.ts';
import type { Case } from '#store/cases.ts';
import { readObjects } from '#store/object-bytes.ts';
import { listCaseObjects, replaceObject } from '#store/objects.ts';
import { findSealingSet, insertSealingSet, replaceSealingSet, type SealingSet } from '#store/sealing-set.ts';
import { decryptWithShredKey, encryptAgainWithShredKey } from '#store/shred-keys.ts';
import type { Records } from '#store/tables.ts';
import { listNoteObjects } from './notes.ts';
import type { SealingKeys } from './sealing-keys.ts';

const BATCH = 50;

/** Why a case was left as it was; of one with `notes`, only notes that this key does not open. */
type UnsealedReason = 'other_key' | 'damaged' | 'not_pinned' | 'notes';

export interface UnsealedCase {
  readonly id: string;
  readonly reason: UnsealedReason;
}

interface ResealOptions {
  /** An investigator's key of the former set, or the recovery key. */
  readonly identity: AgeIdentity;
  readonly keys: SealingKeys;
  /** Whether the desk remembers no other key for this case. */
  readonly isPinnedKey: (id: string, key: CaseKey) => boolean;
  readonly onCase: () => void;
}

/** Refuses if somebody has adopted another set since `former` was read. */
export async function replaceAdoptedSet(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  former: SealingSet | undefined,
  set: SealingSet,
  by: string,
): Promise<void> {
  await store.transaction(async (records) => {
    await appendAuditEntry(records, { by, act: 'reseal' }, clock.now());
    if (!(await adoptInstead(records, former, set))) throw createSupersededError();
  });
}

async function adoptInstead(
  records: Records,
  former: SealingSet | undefined,
  set: SealingSet,
): Promise<boolean> {
  if (former) return await replaceSealingSet(records, former.tag, set);
  await insertSealingSet(records, set);
  return (await findSealingSet(records))?.tag === set.tag;
}

/** Before anything is changed: a key that opens none of the cases is the wrong one. */
export async function requireOpeningKey(
  { store }: Pick<Services, 'store'>,
  { identity, keys }: Pick<ResealOptions, 'identity' | 'keys'>,
): Promise<void> {
  let isAnyClosed = false;
  for await (const record of streamCasesToReseal(store, keys.set)) {
    const opened = await openStoredKey(store, record, identity);
    if (typeof opened !== 'string') return;
    isAnyClosed ||= opened === 'other_key';
  }
  if (isAnyClosed)
    throw new SealError(
      'wrong_key',
      'This key opens none of the cases: use a desk key of the former team, or the recovery key.',
    );
}

/** One transaction for each case, so that it can be stopped at any moment and run again. Returns those left out. */
export async function resealCases(
  { store }: Pick<Services, 'store'>,
  { identity, keys, isPinnedKey, onCase }: ResealOptions,
): Promise<UnsealedCase[]> {
  const left: UnsealedCase[] = [];
  for await (const record of streamCasesToReseal(store, keys.set)) {
    const { id } = record;
    const key = await openStoredKey(store, record, identity);
    if (typeof key === 'string') left.push({ id, reason: key });
    else if (!isPinnedKey(id, key)) left.push({ id, reason: 'not_pinned' });
    else if (!(await resealCase({ store }, record, { key, identity, keys })))
      left.push({ id, reason: 'notes' });
    onCase();
    await giveWay();
  }
  // The former boxes, which a key that has gone would still open, are overwritten.
  await store.erase();
  return left;
}

/**
 * In transactions, although nothing is written: on PostgreSQL that makes a case fail which another instance was
 * about to store with the former set, and which these queries have not seen.
 */
async function* streamCasesToReseal(store: Services['store'], tag: string): AsyncGenerator<Case> {
  yield* streamCasesSealedTo(store, null);
  for (let former = ''; ; ) {
    const from = former;
    const next = await store.transaction((records) => findNextSealedSet(records, from));
    if (next === null) return;
    if (next !== tag) yield* streamCasesSealedTo(store, next);
    former = next;
  }
}

async function* streamCasesSealedTo(store: Services['store'], former: string | null): AsyncGenerator<Case> {
  for (let after = ''; ; ) {
    const from = after;
    const cases = await store.transaction((records) =>
      listCasesSealedTo(records, former, { after: from, limit: BATCH }),
    );
    yield* cases;
    const last = cases.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function openStoredKey(
  store: Services['store'],
  record: Case,
  identity: AgeIdentity,
): Promise<CaseKey | Extract<UnsealedReason, 'other_key' | 'damaged'>> {
  const sealed = await decryptWithShredKey(store.shredKeys, record).catch(() => null);
  if (!sealed) return 'damaged';
  try {
    return await openCaseKey(sealed, identity, record.lookup_hash);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return error.code === 'wrong_key' ? 'other_key' : 'damaged';
  }
}

/** Returns false if there are notes that this key does not open: the case then stays on the list for another key. */
async function resealCase(
  { store }: Pick<Services, 'store'>,
  record: Case,
  { key, identity, keys }: Pick<ResealOptions, 'identity' | 'keys'> & { readonly key: CaseKey },
): Promise<boolean> {
  const box = await encryptAgainWithShredKey(store.shredKeys, record, await sealCaseKey(key, keys));
  // Its shred key is destroyed: the case is being purged.
  if (!box) return true;
  const notes = listNoteObjects(await listCaseObjects(store.records, record.id));
  const resealed = await Array.fromAsync(notes, ({ id }) => resealNote(store, id, { identity, keys }));
  const isWhole = !resealed.includes(null);
  const isReplaced = await store.transaction(async (records) => {
    if ((await findSealingSet(records))?.tag !== keys.set) throw createSupersededError();
    const change = { key_box: box, sealed_to: isWhole ? keys.set : record.sealed_to };
    if (!(await replaceCaseKey(records, record.id, change))) return false;
    for (const note of resealed) if (note) await replaceObject(records, { ...note, caseId: record.id });
    return true;
  });
  return isWhole || !isReplaced;
}

/** Null if it does not open with this key, or is damaged. */
async function resealNote(
  { records }: Services['store'],
  id: string,
  { identity, keys }: Pick<ResealOptions, 'identity' | 'keys'>,
): Promise<{ readonly id: string; readonly bytes: Uint8Array } | null> {
  const sealed = (await readObjects(records, [id])).get(id);
  if (!sealed) return null;
  try {
    return { id, bytes: await resealCaseNote(sealed, identity, keys.desk) };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return null;
  }
}

function createSupersededError(): ServiceError {
  return new ServiceError('case_changed', {
    detail: 'Somebody else has changed the keys in the meantime; look at the configuration and run it again.',
  });
}
