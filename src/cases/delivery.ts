/** Delivers a finding: text and files at once, and sets when the case is purged. */
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
  /** Uploaded earlier by the same holder. */
  readonly files: readonly Upload[];
  readonly holder: string;
}

/** The holder of a finding's files until it is delivered. */
export function toDeliveryHolder(caseId: string): string {
  return `delivery ${caseId}`;
}

/** Repeating a delivery changes nothing; a different finding for an answered case is refused. */
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
    const record = await requireCase(records, caseId, clock.now());
    const earlier = (await listCaseObjects(records, caseId)).find(({ kind }) => kind === 'finding.v1');
    if (earlier && (await matchesStoredObject(records, earlier.id, finding))) return record;
    const now = clock.now();
    const delivered = await applyCaseAction(records, record, 'deliver', 'desk', now);
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
      const position = { caseId, kind: 'finding-file.v1', seq, size, now } as const;
      if (!(await bindObject(records, { id, holders: [holder] }, position)))
        throw new ServiceError('upload_incomplete');
    }
    return delivered;
  });
}

/** Stores the files first, which may take a while; if the delivery fails, they are deleted. */
export async function uploadAndDeliverFinding(
  services: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  finding: Uint8Array,
  files: readonly (() => Promise<ReadableStream<Uint8Array>>)[],
): Promise<Case> {
  const holder = toDeliveryHolder(caseId);
  const uploads: Upload[] = [];
  try {
    for (const sealed of files) uploads.push(await storeUpload(services, [holder], await sealed()));
    return await deliverSealedFinding(services, caseId, { finding, files: uploads, holder });
  } finally {
    // Delivered files are bound to the case, so this does not delete them.
    for (const { id } of uploads) await discardUpload(services, id);
  }
}
