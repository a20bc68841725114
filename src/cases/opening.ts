/** Opens a case: spends the paid order and keeps what was sealed for it, all or nothing. */
import { redeem } from '#payments/redeem.ts';
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { recipientsIn } from '#seal/age.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import type { Kind } from '#seal/header.ts';
import { MAX_FILE_BYTES, MAX_FILES, MAX_FILES_BYTES } from '#seal/inquiry.ts';
import { isSealedFileSize } from '#seal/sealed-file.ts';
import { type Case, findCaseByLookup, insertCase } from '#store/cases.ts';
import { bindObject, readPiece, sizeOfPieces } from '#store/objects.ts';
import type { KeepDays, Records, SealedBy } from '#store/tables.ts';
import type { Registry } from './registry.ts';
import { type Upload, uploadHolder } from './uploads.ts';

export const DELIVERY_MS = 48 * 60 * 60_000;

/** The desk, the recovery key and the words, at least. */
const FEWEST_HOLDERS = 3;
/** What the largest files become when each is padded. */
const MOST_SEALED_BYTES = MAX_FILES_BYTES * 1.13;

export interface SealedInquiry {
  readonly lookupHash: string;
  readonly caseKey: Uint8Array;
  readonly inquiry: Upload;
  readonly files: readonly Upload[];
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
  readonly sealedBy: SealedBy;
}

/** The same lookup hash is the same case: sending again, after an answer that got lost, costs nothing. */
export async function openCase(
  registry: Registry,
  sessionId: string | null,
  sealed: SealedInquiry,
): Promise<Case> {
  const { store, keyring, clock } = registry;
  const known = await findCaseByLookup(store.records, sealed.lookupHash);
  if (known) return known;
  if (sessionId === null) throw new ServiceError('form_expired');
  const holder = uploadHolder(keyring, sessionId);
  demandSizes(sealed);
  await demandSealed(store.records, sealed);
  return await store.transaction(async (records) => {
    const other = await findCaseByLookup(records, sealed.lookupHash);
    if (other) return other;
    const order = await redeem(records, keyring, sessionId);
    if (!order) throw new ServiceError('payment_required');
    const opened = caseOf(sealed, order.tier, clock.now());
    await insertCase(records, opened);
    await bind(records, opened, holder, sealed);
    return opened;
  });
}

function caseOf(sealed: SealedInquiry, tier: string, now: number): Case {
  return {
    id: newId(),
    lookup_hash: sealed.lookupHash,
    tier,
    state: 'received',
    sealed_by: sealed.sealedBy,
    keep_days: sealed.keepDays,
    terms_version: sealed.termsVersion,
    case_key: sealed.caseKey,
    submitted_at: now,
    due_at: now + DELIVERY_MS,
  };
}

async function bind(
  records: Records,
  { id: caseId, submitted_at: now }: Case,
  holder: string,
  { inquiry, files }: SealedInquiry,
): Promise<void> {
  const places: [Kind, number, Upload][] = [
    ['inquiry.v1', 0, inquiry],
    ...files.map((file, seq): [Kind, number, Upload] => ['inquiry-file.v1', seq, file]),
  ];
  for (const [kind, seq, { id, size }] of places)
    if (!(await bindObject(records, { id, holder }, { caseId, kind, seq, size, now })))
      throw new ServiceError('upload_incomplete');
}

/** What can be told without a key: padded lengths, and not more than the form allows. */
function demandSizes({ inquiry, files }: SealedInquiry): void {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const fits =
    ENVELOPE_SIZES.includes(inquiry.size) &&
    files.length <= MAX_FILES &&
    files.every(({ size }) => isSealedFileSize(size, MAX_FILE_BYTES)) &&
    total <= MOST_SEALED_BYTES;
  if (!fits) throw new ServiceError('not_sealed');
}

/** Plain text sent by mistake must not be kept as if it were sealed. */
async function demandSealed(records: Records, { caseKey, inquiry, files }: SealedInquiry): Promise<void> {
  if ((recipientsIn(caseKey) ?? 0) < FEWEST_HOLDERS) throw new ServiceError('not_sealed');
  for (const { id, size } of [inquiry, ...files]) {
    const start = await readPiece(records, id, 0);
    if (!start || (await sizeOfPieces(records, id)) !== size) throw new ServiceError('upload_incomplete');
    if (recipientsIn(start) !== 1) throw new ServiceError('not_sealed');
  }
}
