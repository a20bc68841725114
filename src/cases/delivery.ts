/** Delivers a finding: text and files at once, with the day on which all of it goes. */
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { recipientsIn } from '#seal/age.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { MAX_FINDING_FILE_BYTES, MAX_FINDING_FILES } from '#seal/finding.ts';
import { isSealedFileSize } from '#seal/sealed-file.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { bindObject, insertObject, objectsOf, sizeOfPieces } from '#store/objects.ts';
import { isSameObject } from './messages.ts';
import { demandCase, move } from './states.ts';
import { discardUpload, keepUpload, type Upload } from './uploads.ts';

export interface SealedFinding {
  readonly finding: Uint8Array;
  /** Uploaded before, by the same holder. */
  readonly files: readonly Upload[];
  readonly holder: string;
}

/** Whose uploads the files of a finding are until it is delivered. */
export function deliveryHolder(caseId: string): string {
  return `delivery ${caseId}`;
}

/** The same delivery again changes nothing; another one for a case that has its finding is refused. */
export async function deliver(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  { finding, files, holder }: SealedFinding,
): Promise<Case> {
  const fits =
    ENVELOPE_SIZES.includes(finding.length) &&
    recipientsIn(finding) === 1 &&
    files.length <= MAX_FINDING_FILES &&
    files.every(({ size }) => isSealedFileSize(size, MAX_FINDING_FILE_BYTES));
  if (!fits) throw new ServiceError('not_sealed');
  return await store.transaction(async (records) => {
    const found = await demandCase(records, caseId);
    const before = (await objectsOf(records, caseId)).find(({ kind }) => kind === 'finding.v1');
    if (before && (await isSameObject(records, before.id, finding))) return found;
    const now = clock.now();
    const moved = await move(records, found, 'deliver', 'desk', now);
    await insertObject(records, { id: newId(), caseId, kind: 'finding.v1', seq: 0, bytes: finding, now });
    for (const [seq, { id, size }] of files.entries()) {
      if ((await sizeOfPieces(records, id)) !== size) throw new ServiceError('upload_incomplete');
      const place = { caseId, kind: 'finding-file.v1', seq, size, now } as const;
      if (!(await bindObject(records, { id, holder }, place))) throw new ServiceError('upload_incomplete');
    }
    return moved;
  });
}

/** Keeps the files first, which may take a while; if they are not delivered nothing of them stays. */
export async function deliverWhole(
  services: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  finding: Uint8Array,
  files: readonly (() => Promise<ReadableStream<Uint8Array>>)[],
): Promise<Case> {
  const holder = deliveryHolder(caseId);
  const kept: Upload[] = [];
  try {
    for (const sealed of files) kept.push(await keepUpload(services, holder, await sealed()));
    return await deliver(services, caseId, { finding, files: kept, holder });
  } finally {
    // What was delivered is bound to its case, and stays.
    for (const { id } of kept) await discardUpload(services, id);
  }
}
