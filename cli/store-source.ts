/** Cases in the database that a command runs beside. */
import { recordCaseReading } from '#cases/audited-change.ts';
import { applyCallStep } from '#cases/call-steps.ts';
import { releaseCase, takeCase, takeOverCase } from '#cases/case-holder.ts';
import { uploadAndDeliverFinding } from '#cases/delivery.ts';
import { listDeskPeople } from '#cases/desk-people.ts';
import { countDeskViews, describeQueuedCases } from '#cases/desk-queue.ts';
import { includeFormerHolders } from '#cases/former-holders.ts';
import { addCaseMessage } from '#cases/messages.ts';
import { addCaseNote } from '#cases/notes.ts';
import { purgeCaseNow } from '#cases/purge.ts';
import { requestPurge, undoPurge } from '#cases/purge-request.ts';
import { readSealedCase } from '#cases/sealed-case.ts';
import { readSealingKeys } from '#cases/sealing-keys.ts';
import { requireSameSealingSet } from '#cases/sealing-set.ts';
import { takeBackDelivery } from '#cases/take-back.ts';
import { loadConfig } from '#platform/config.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Case } from '#store/cases.ts';
import { listCasesByDue } from '#store/desk-queue.ts';
import { listCaseObjects } from '#store/objects.ts';
import { requireNamedCase } from './case-id.ts';
import { type CaseAct, type CaseSource, withHolderNamed } from './case-source.ts';
import { addKeyring, type CliServices } from './cli-services.ts';
import { readHolderNames } from './holder-name.ts';
import { deriveInvestigator } from './investigator.ts';
import { getIo } from './io.ts';
import type { DeskAccess } from './pinning-key.ts';
import { readUndoTime } from './release-option.ts';

type StoreAct = (services: CliServices, id: string, investigator: string | null) => Promise<Case>;

const acts: Readonly<Record<Exclude<CaseAct, 'purge_now'>, StoreAct>> = {
  take: takeCase,
  // The command has asked for the key.
  take_over: (services, id, investigator) => takeOverCase(services, id, investigator!),
  let_go: releaseCase,
  offer_call: (services, id, investigator) => applyCallStep(services, id, 'offer', investigator),
  hold_call: (services, id, investigator) => applyCallStep(services, id, 'hold', investigator),
  take_back: async (services, id, investigator) => {
    const record = await takeBackDelivery(services, id, investigator);
    await services.store.erase();
    return record;
  },
  // Without a key it is purged at once.
  purge: (services, id, investigator) => requestPurge(services, id, investigator!),
  undo_purge: undoPurge,
};

export async function createStoreSource(
  services: CliServices,
  access: DeskAccess | null,
): Promise<CaseSource> {
  const { clock, store } = services;
  const { records } = store;
  const investigator = access && (await deriveInvestigator(access.identity));
  const names = readHolderNames();
  const loadSealingKeys = createLazy(() => readSealingKeys(loadConfig(getIo().env)));
  const requireCase: CaseSource['requireCase'] = (operand) => requireNamedCase(services, operand);
  const withHolder = async <Result>(id: string, work: () => Promise<Result>) =>
    await withHolderNamed({ requireCase, names }, id, work);
  return {
    isOffice: false,
    investigator,
    names,
    now: () => clock.now(),
    requireCase,
    requireCaseToPurge: (operand) => requireNamedCase(services, operand, 0),
    listCases: async (choice, page) => {
      const chosen = await includeFormerHolders(records, choice);
      const cases = await listCasesByDue(records, chosen, page, clock.now());
      return await describeQueuedCases(records, cases, { investigator, isOwner: false }, clock.now());
    },
    countViews: () => countDeskViews(records, investigator, clock.now()),
    listObjects: (id) => listCaseObjects(records, id),
    readCase: async (record) => {
      await recordCaseReading(services, record.id, investigator);
      return await readSealedCase(services, record);
    },
    act: (id, act) => withHolder(id, () => acts[act](services, id, investigator)),
    mayPurgeNow: async () => {
      if (investigator === null) return true;
      const people = await listDeskPeople({ sealingKeys: loadSealingKeys() }, loadConfig(getIo().env).seal);
      return people.some(({ holder, role }) => holder === investigator && role === 'owner');
    },
    purgeNow: async (id) => {
      await purgeCaseNow(await addKeyring(services), id, 'desk', investigator);
      await store.erase();
    },
    write: (id, message) => withHolder(id, () => addCaseMessage(services, id, { ...message, investigator })),
    deliver: ({ id, finding_seq: seq }, { finding, files, atOnce }) => {
      const sealed = { finding, files, seq, undoMs: readUndoTime(atOnce), investigator };
      return withHolder(id, () => uploadAndDeliverFinding(services, id, sealed));
    },
    readNoteReaders: async () => {
      const keys = await loadSealingKeys();
      await requireSameSealingSet(records, keys);
      return keys.desk;
    },
    addNote: async (id, note) => {
      await addCaseNote({ ...services, sealingKeys: loadSealingKeys() }, id, note);
    },
  };
}
