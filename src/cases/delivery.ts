/** Delivers a finding: text and files at once, with the day on which all of it goes. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import { countRecipients } from '#seal/age.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { MAX_FINDING_FILE_BYTES, MAX_FINDING_FILES } from '#seal/finding.ts';
import { isSealedFileSize } from '#seal/sealed-file.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import {
  bindObject,
  computeObjectSize,
  insertObject,
  listCaseObjects,
  matchesStoredObject,
} from '#store/objects.ts';
import { applyCaseAction, requireCase } from './states.ts';
import { discardUpload, storeUpload, type Upload } from './uploads.ts';

export interface SealedFinding {
  readonly finding: Uint8Array;
  /** Uploaded before, by the same holder. */
  readonly files: readonly Upload[];
  readonly holder: string;
}

/** Whose uploads the files of a finding are until it is delivered. */
export function toDeliveryHolder(caseId: string): string {
  return `delivery ${caseId}`;
}

/** The same delivery again changes nothing; another one for a case that has its finding is refused. */
export async function deliverSealedFinding(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  { finding, files, holder }: SealedFinding,
): Promise<Case> {
  const fits =
    ENVELOPE_SIZES.includes(finding.length) &&
    countRecipients(finding) === 1 &&
    files.length <= MAX_FINDING_FILES &&
    files.every(({ size }) => isSealedFileSize(size, MAX_FINDING_FILE_BYTES));
  if (!fits) throw new ServiceError('not_sealed');
  return await store.transaction(async (records) => {
    const found = await requireCase(records, caseId);
    const before = (await listCaseObjects(records, caseId)).find(({ kind }) => kind === 'finding.v1');
    if (before && (await matchesStoredObject(records, before.id, finding))) return found;
    const now = clock.now();
    const moved = await applyCaseAction(records, found, 'deliver', 'desk', now);
    await insertObject(records, {
      id: generateId(),
      caseId,
      kind: 'finding.v1',
      seq: 0,
      bytes: finding,
      now,
    });
    for (const [seq, { id, size }] of files.entries()) {
      if ((await computeObjectSize(records, id)) !== size) throw new ServiceError('upload_incomplete');
      const place = { caseId, kind: 'finding-file.v1', seq, size, now } as const;
      if (!(await bindObject(records, { id, holder }, place))) throw new ServiceError('upload_incomplete');
    }
    return moved;
  });
}

/** Keeps the files first, which may take a while; if they are not delivered nothing of them stays. */
export async function uploadAndDeliverFinding(
  services: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  finding: Uint8Array,
  files: readonly (() => Promise<ReadableStream<Uint8Array>>)[],
): Promise<Case> {
  const holder = toDeliveryHolder(caseId);
  const kept: Upload[] = [];
  try {
    for (const sealed of files) kept.push(await storeUpload(services, holder, await sealed()));
    return await deliverSealedFinding(services, caseId, { finding, files: kept, holder });
  } finally {
    // What was delivered is bound to its case, and stays.
    for (const { id } of kept) await discardUpload(services, id);
  }
}
