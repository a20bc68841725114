/** Cases at an office that is reached over the network, through the desk's door. */
import type { DeskCounts } from '#cases/desk-queue.ts';
import { deleteCaseTexts } from '#desk-program/keys/unsent-file.ts';
import { fetchCaseFile } from '#desk-program/office/case-reader.ts';
import { postAct, postToCase } from '#desk-program/office/case-writer.ts';
import { readOfficeQueue } from '#desk-program/office/connect.ts';
import { createHostileFault } from '#desk-program/office/office-http.ts';
import { toBase64url } from '#platform/base64url.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Case } from '#store/cases.ts';
import type { DeskCaseFile } from '#wire/desk-cases.ts';
import { chooseOnlyId, parseCaseOperand } from './case-id.ts';
import { type CaseAct, type CaseSource, withHolderNamed } from './case-source.ts';
import { listOfficeNames } from './holder-name.ts';
import { toMessageRequest, toOfficeRecord, toSealedOfficeCase, uploadFiles } from './office-case.ts';
import { type OfficeLink, withOfficeLink } from './office-link.ts';
import { listOfficeCases, toListedCases } from './office-queue.ts';
import { readConfirmedReaders } from './office-readers.ts';
import type { OfficeAccess } from './pinning-key.ts';

export async function withOfficeSource<Result>(
  access: OfficeAccess,
  work: (source: CaseSource) => Promise<Result>,
): Promise<Result> {
  return await withOfficeLink(access, (link) => work(createOfficeSource(new OfficeCases(link))));
}

/** The requests, and the office's clock as their answers tell it. */
class OfficeCases {
  readonly link: OfficeLink;
  #now = Date.now();

  constructor(link: OfficeLink) {
    this.link = link;
  }

  get now(): number {
    return this.#now;
  }

  /** No entry in the audit log: the queue has nothing of what is in a case. */
  async requireCase(operand: string | undefined): Promise<Case> {
    const named = parseCaseOperand(operand);
    const queue = await readOfficeQueue(this.link, { begins: named.beginnings.join(',') });
    this.#now = Date.parse(queue.now);
    const records = toListedCases(queue).map(({ record }) => record);
    const fits = records.every(({ id }) => named.beginnings.some((text) => id.startsWith(text)));
    if (!fits) throw createHostileFault('it names cases that were not asked for');
    const id = chooseOnlyId(
      named,
      records.map((record) => record.id),
    );
    const record = records.find((each) => each.id === id);
    if (!record) throw new ServiceError('case_unknown');
    return record;
  }

  async countViews(): Promise<DeskCounts> {
    const { counts, now } = await readOfficeQueue(this.link, { limit: 1 });
    this.#now = Date.parse(now);
    return counts;
  }

  async fetchFile(id: string): Promise<DeskCaseFile> {
    const file = await fetchCaseFile(this.link, id);
    this.#now = Date.parse(file.now);
    return file;
  }

  async applyAct(id: string, act: CaseAct): Promise<Case | null> {
    const changed = await postAct(this.link, id, 'acts', { act });
    return changed && toOfficeRecord(changed);
  }

  async post(id: string, path: 'messages' | 'notes' | 'finding', json: unknown): Promise<Case> {
    return toOfficeRecord(await postToCase(this.link, id, path, json));
  }
}

function createOfficeSource(cases: OfficeCases): CaseSource {
  const { link } = cases;
  const names = listOfficeNames(link.known);
  const requireCase: CaseSource['requireCase'] = (operand) => cases.requireCase(operand);
  const withHolder = async <Result>(id: string, work: () => Promise<Result>) =>
    await withHolderNamed({ requireCase, names }, id, work);
  return {
    isOffice: true,
    investigator: link.holder,
    names,
    now: () => cases.now,
    requireCase,
    requireCaseToPurge: requireCase,
    listCases: (choice, page) => listOfficeCases(link, choice, page),
    countViews: () => cases.countViews(),
    listObjects: async (id) => toSealedOfficeCase(link.signer, await cases.fetchFile(id)).objects,
    readCase: async ({ id }) => toSealedOfficeCase(link.signer, await cases.fetchFile(id)),
    act: async (id, act) => {
      const changed = await withHolder(id, () => cases.applyAct(id, act));
      if (changed === null) throw createHostileFault('it says that the case is gone');
      if (act === 'purge') await deleteCaseTexts(link.key, id);
      return changed;
    },
    mayPurgeNow: async () =>
      link.people.some(({ holder, role }) => holder === link.holder && role === 'owner'),
    purgeNow: async (id) => {
      if ((await cases.applyAct(id, 'purge_now')) !== null)
        throw createHostileFault('it does not say that the case is purged');
      await deleteCaseTexts(link.key, id);
    },
    write: (id, message) => withHolder(id, () => cases.post(id, 'messages', toMessageRequest(message))),
    deliver: async ({ id, finding_seq: seq }, { finding, files, atOnce }) => {
      const uploads = await uploadFiles(link.signer, id, files);
      // How long it can be taken back is for the office to say.
      const request = { seq, sealed: toBase64url(finding), files: uploads, ...(atOnce && { at_once: true }) };
      return await withHolder(id, () => cases.post(id, 'finding', request));
    },
    readNoteReaders: (isConfirmed) => readConfirmedReaders(link, isConfirmed),
    addNote: async (id, { seq, sealed }) => {
      await cases.post(id, 'notes', { seq, sealed: toBase64url(sealed) });
    },
  };
}
