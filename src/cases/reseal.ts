/** Open cases that are sealed again to the keys of today: which they are, and putting what was sealed again in its place. */
import { ServiceError } from '#platform/errors.ts';
import { giveWay } from '#platform/turns.ts';
import { type CaseToReseal, hashSealedKey, type ResealedCase } from '#seal/resealed-case.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { findCaseToReseal, findNextSealedSet, listCasesSealedTo, replaceCaseKey } from '#store/case-keys.ts';
import type { Case } from '#store/cases.ts';
import { readObjects } from '#store/object-bytes.ts';
import { listCaseObjects, replaceObject } from '#store/objects.ts';
import { findSealingSet, insertSealingSet, replaceSealingSet, type SealingSet } from '#store/sealing-set.ts';
import { decryptWithShredKey, encryptAgainWithShredKey } from '#store/shred-keys.ts';
import type { Records } from '#store/tables.ts';
import { listNoteObjects } from './notes.ts';

type ResealServices = Pick<Services, 'clock' | 'store'>;

/** Refuses if somebody has adopted another set since `former` was read. */
export async function replaceAdoptedSet(
  { clock, store }: ResealServices,
  former: string | undefined,
  set: SealingSet,
  by: string,
): Promise<void> {
  await store.transaction(async (records) => {
    await appendAuditEntry(records, { by, act: 'reseal' }, clock.now());
    if (!(await adoptInstead(records, former, set))) throw new ServiceError('sealing_set_changed');
  });
}

async function adoptInstead(records: Records, former: string | undefined, set: SealingSet): Promise<boolean> {
  if (former !== undefined) return await replaceSealingSet(records, former, set);
  await insertSealingSet(records, set);
  return (await findSealingSet(records))?.tag === set.tag;
}

/** Where a page begins: after this case among those that are sealed to `set`, which is null where nobody knows it. */
export interface ResealCursor {
  readonly set: string | null;
  readonly after: string;
}

const START: ResealCursor = { set: null, after: '' };

/**
 * Cases that are not known to be sealed to the set with this tag; an empty page is the last. In transactions, although
 * nothing is written: on PostgreSQL that makes a case fail which another instance was about to store with the former
 * set, and which these queries have not seen.
 */
export async function readCasesToReseal(
  { store }: Pick<Services, 'store'>,
  tag: string,
  { after = START, limit }: { readonly after?: ResealCursor | undefined; readonly limit: number },
): Promise<{ readonly cases: readonly Case[]; readonly next: ResealCursor | null }> {
  for (let from: ResealCursor | null = after; from !== null; from = await findNextGroup(store, tag, from)) {
    const { set, after: id } = from;
    const cases = await store.transaction((records) => listCasesSealedTo(records, set, { after: id, limit }));
    const last = cases.at(-1);
    if (last) return { cases, next: { set, after: last.id } };
  }
  return { cases: [], next: null };
}

async function findNextGroup(
  store: Services['store'],
  tag: string,
  { set }: ResealCursor,
): Promise<ResealCursor | null> {
  for (let former = set ?? ''; ; ) {
    const from = former;
    const next = await store.transaction((records) => findNextSealedSet(records, from));
    if (next !== tag) return next === null ? null : { set: next, after: '' };
    former = next;
  }
}

const BATCH = 50;

export async function* streamCasesToReseal(
  services: Pick<Services, 'store'>,
  tag: string,
): AsyncGenerator<CaseToReseal> {
  for (let after: ResealCursor | undefined; ; ) {
    const { cases, next } = await readCasesToReseal(services, tag, { after, limit: BATCH });
    for (const record of cases) {
      yield await toCaseToReseal(services, record);
      await giveWay();
    }
    if (next === null) return;
    after = next;
  }
}

async function toCaseToReseal({ store }: Pick<Services, 'store'>, record: Case): Promise<CaseToReseal> {
  const { records } = store;
  const { id, lookup_hash: lookupHash } = record;
  return {
    id,
    lookupHash,
    caseKey: await readSealedKey(store, record),
    readNotes: async () => {
      const notes = listNoteObjects(await listCaseObjects(records, id));
      return await Array.fromAsync(notes, async ({ id: note, seq }) => ({
        seq,
        sealed: (await readObjects(records, [note])).get(note) ?? null,
      }));
    },
  };
}

/** Who has these has the key of many cases, so each page of them is an entry; each one that is replaced has its own. */
export async function recordKeyReading({ clock, store }: ResealServices, by: string): Promise<void> {
  await store.transaction((records) => appendAuditEntry(records, { by, act: 'read_keys' }, clock.now()));
}

/** Overwrites the former boxes, which a key that has gone would still open. */
export async function overwriteFormerKeys({ store }: Pick<Services, 'store'>): Promise<void> {
  await store.erase();
}

/** Null if its shred key is destroyed or damaged. */
export async function readSealedKey(store: Services['store'], record: Case): Promise<Uint8Array | null> {
  return await decryptWithShredKey(store.shredKeys, record).catch(() => null);
}

export interface CaseResealing extends ResealedCase {
  readonly id: string;
  /** The hash of the sealed key that was opened. */
  readonly former: string;
  /** The tag of the keys that it is sealed to now. */
  readonly set: string;
  readonly by: string;
}

/**
 * One transaction for each case, so that the work can be stopped at any moment and done again. A case that is not whole
 * stays among those to be sealed again. Returns false if somebody else has sealed it again meanwhile, and what they
 * stored stays; of a case that is being purged nothing is stored either, but it needs nobody any more.
 */
export async function storeResealedCase(
  { clock, store }: ResealServices,
  { id, former, set, by, caseKey, notes, isWhole }: CaseResealing,
): Promise<boolean> {
  const record = await findCaseToReseal(store.records, id);
  // A failure is no purge: it ends the work, which is done again.
  const stored = record && (await decryptWithShredKey(store.shredKeys, record));
  if (!record || !stored) return true;
  const isRepeated = hashSealedKey(stored) === hashSealedKey(caseKey);
  if (!isRepeated && hashSealedKey(stored) !== former) return false;
  if (isRepeated && record.sealed_to === set) return true;
  const box = isRepeated ? record.key_box : await encryptAgainWithShredKey(store.shredKeys, record, caseKey);
  if (!box) return true;
  return await store.transaction(async (records) => {
    if ((await findSealingSet(records))?.tag !== set) throw new ServiceError('sealing_set_changed');
    const change = { key_box: box, sealed_to: isWhole ? set : record.sealed_to };
    if (!(await replaceCaseKey(records, record, change))) return false;
    const objects = listNoteObjects(await listCaseObjects(records, id));
    for (const { seq, sealed } of notes) {
      const note = objects.find((object) => object.seq === seq);
      if (note) await replaceObject(records, { id: note.id, caseId: id, bytes: sealed });
    }
    await appendAuditEntry(records, { by, act: 'reseal', subject: { kind: 'case', id } }, clock.now());
    return true;
  });
}
