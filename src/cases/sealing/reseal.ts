/** Resealing to the current keys: finds the cases and refunds to reseal, and stores what was resealed. */
import { ServiceError } from '#platform/errors.ts';
import { giveWay } from '#platform/turns.ts';
import { type CaseToReseal, hashSealedKey, type ResealedCase } from '#seal/case/resealed-case.ts';
import { countRecipients } from '#seal/core/age.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { findCaseKey, findCaseToReseal, listCasesToReseal, replaceCaseKey } from '#store/cases/case-keys.ts';
import type { Case } from '#store/cases/cases.ts';
import { listCaseObjects, readObjects, replaceObject } from '#store/cases/objects.ts';
import { listRefunds, type RefundRecord, replaceRefund } from '#store/cases/refunds.ts';
import { keepOutWriters } from '#store/engine/writers.ts';
import {
  findRecipientSet,
  insertRecipientSet,
  type RecipientSet,
  replaceRecipientSet,
} from '#store/keys/recipient-set.ts';
import { encryptSealedKey, openCaseKey, readCaseKey } from '#store/keys/shred-keys.ts';
import type { Records } from '#store/schema/tables.ts';
import { listNoteObjects } from '../messages/notes.ts';
import { parseRecipientSetMembers } from './recipient-set.ts';

export type RefundToReseal = Pick<RefundRecord, 'id' | 'sealed'>;

type ResealServices = Pick<Services, 'clock' | 'store'>;

/** Refuses if another set was adopted after `previous` was read. */
export async function replaceAdoptedSet(
  { clock, store }: ResealServices,
  previous: string | undefined,
  set: RecipientSet,
  by: string,
): Promise<void> {
  await store.transaction(async (records) => {
    // From here on, a case sealed to the previous set is either stored, and so found for resealing, or refused.
    await keepOutWriters(records, 'cases');
    await appendAuditEntry(records, { by, act: 'reseal' }, clock.now());
    if (!(await adoptInstead(records, previous, set))) throw new ServiceError('sealing_set_changed');
  });
}

async function adoptInstead(
  records: Records,
  previous: string | undefined,
  set: RecipientSet,
): Promise<boolean> {
  if (previous !== undefined) return await replaceRecipientSet(records, previous, set);
  await insertRecipientSet(records, set);
  return (await findRecipientSet(records))?.tag === set.tag;
}

/**
 * Cases that are not known to be sealed to the set with this tag, after the one with this id; the last page is empty.
 * Uses a transaction although nothing is written: on PostgreSQL, this makes another instance fail if it is about to
 * store a case with the previous set that this query has not seen.
 */
export async function readCasesToReseal(
  { store }: Pick<Services, 'store'>,
  tag: string,
  page: { readonly after: string; readonly limit: number },
): Promise<readonly Case[]> {
  return await store.transaction((records) => listCasesToReseal(records, tag, page));
}

const BATCH = 50;

export async function* streamCasesToReseal(
  services: Pick<Services, 'store'>,
  tag: string,
): AsyncGenerator<CaseToReseal> {
  for (let after = ''; ; ) {
    const cases = await readCasesToReseal(services, tag, { after, limit: BATCH });
    for (const record of cases) {
      yield await toCaseToReseal(services, record);
      await giveWay();
    }
    const last = cases.at(-1);
    if (!last) return;
    after = last.id;
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

/** These keys open many cases, so each page that is read gets an audit entry; each replaced key gets its own. */
export async function recordKeyReading({ clock, store }: ResealServices, by: string): Promise<void> {
  await store.transaction((records) => appendAuditEntry(records, { by, act: 'read_keys' }, clock.now()));
}

/** Overwrites the previous ciphertexts, which a removed key could still open. */
export async function overwritePreviousKeys({ store }: Pick<Services, 'store'>): Promise<void> {
  await store.erase();
}

/** Null if the key of the case cannot be read, such as when its shred key is destroyed or damaged. */
export async function readSealedKey(store: Services['store'], record: Case): Promise<Uint8Array | null> {
  return await readCaseKey(store, record).catch(() => null);
}

/** Refunds that are owed, including those whose decline is on hold. */
export async function* streamRefundsToReseal({
  store,
}: Pick<Services, 'store'>): AsyncGenerator<RefundToReseal> {
  for (let after = ''; ; ) {
    const refunds = await listRefunds(store.records, { after, limit: BATCH });
    yield* refunds;
    const last = refunds.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** Can be repeated, because no row says to whom a refund is sealed. */
export async function storeResealedRefund(
  { store }: Pick<Services, 'store'>,
  set: string,
  refund: RefundToReseal,
): Promise<void> {
  await store.transaction(async (records) => {
    const adopted = await findRecipientSet(records);
    if (adopted?.tag !== set) throw new ServiceError('sealing_set_changed');
    if (countRecipients(refund.sealed) !== parseRecipientSetMembers(adopted).length)
      throw new ServiceError('not_sealed');
    await replaceRefund(records, refund);
  });
}

export interface CaseResealing extends ResealedCase {
  readonly id: string;
  /** The hash of the sealed key that was opened. */
  readonly previous: string;
  /** The tag of the keys that it is sealed to now. */
  readonly set: string;
  readonly by: string;
}

/**
 * Uses one transaction for each case, so that the work can be stopped and repeated at any time. A case that is not
 * whole remains to be resealed. Returns false if another owner has resealed it meanwhile: what they stored stays. For a
 * case that is being purged, nothing is stored, but true is returned because it no longer needs resealing.
 */
export async function storeResealedCase(
  { clock, store }: ResealServices,
  { id, previous, set, by, caseKey, notes, isWhole }: CaseResealing,
): Promise<boolean> {
  const record = await findCaseToReseal(store.records, id);
  // A failed read does not count as a purge: it stops the work, which can be repeated.
  const previousCiphertext = record && (await findCaseKey(store.records, id));
  const shredKey = previousCiphertext ? await store.shredKeys.read(record) : null;
  const stored = previousCiphertext && openCaseKey(id, previousCiphertext, shredKey);
  if (!record || !previousCiphertext || !shredKey || !stored) return true;
  const isRepeated = hashSealedKey(stored) === hashSealedKey(caseKey);
  if (!isRepeated && hashSealedKey(stored) !== previous) return false;
  if (isRepeated && record.sealed_to === set) return true;
  const ciphertext = isRepeated ? previousCiphertext : encryptSealedKey(shredKey, caseKey, id);
  return await store.transaction(async (records) => {
    if ((await findRecipientSet(records))?.tag !== set) throw new ServiceError('sealing_set_changed');
    const change = { previous: previousCiphertext, ciphertext, sealedTo: isWhole ? set : record.sealed_to };
    if (!(await replaceCaseKey(records, id, change))) return false;
    const objects = listNoteObjects(await listCaseObjects(records, id));
    for (const { seq, sealed } of notes) {
      const note = objects.find((object) => object.seq === seq);
      if (note) await replaceObject(records, { id: note.id, caseId: id, bytes: sealed });
    }
    await appendAuditEntry(records, { by, act: 'reseal', subject: { kind: 'case', id } }, clock.now());
    return true;
  });
}
