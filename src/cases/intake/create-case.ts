/** Creates a case: redeems the paid order and stores the sealed inquiry, all or nothing. */
import { timingSafeEqual } from 'node:crypto';
import { isUnredeemed, redeemVoucher, toOrderProof, type Voucher } from '#payments/redeem.ts';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { countRecipients } from '#seal/core/age.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';
import { ENVELOPE_SIZES } from '#seal/core/envelope.ts';
import { isSealedFileSize } from '#seal/files/sealed-file.ts';
import {
  MAX_INQUIRY_FILE_BYTES,
  MAX_INQUIRY_FILES,
  MAX_INQUIRY_TOTAL_BYTES,
} from '#seal/form/inquiry-files.ts';
import type { Services } from '#services.ts';
import {
  type Case,
  type CaseViewer,
  findCase,
  findNearestCase,
  insertCase,
  isLookupKnown,
} from '#store/cases/cases.ts';
import { insertObject, MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { insertPaidCase, type PaidCase } from '#store/cases/postgres-paid-case.ts';
import { bindObject } from '#store/cases/staged-objects.ts';
import { isPostgres } from '#store/engine/prepared.ts';
import {
  buildClaim,
  claimIdempotencyKey,
  type IdempotentRequest,
  reassignIdempotencyKey,
} from '#store/idempotent-request.ts';
import { readCaseKey, storeCaseKey } from '#store/keys/shred-keys.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';
import type { SealedBy } from '#wire/case-states.ts';
import { deriveWordsTag, isCaseVisibleTo } from '../access.ts';
import { buildNewLink, linkNewCase } from '../case-events.ts';
import type { KeepDays } from '../ending/retention.ts';
import { requireCurrentRecipientSet } from '../sealing/recipient-set.ts';
import { findUnpurgedCase } from '../sealing/sealed-case.ts';
import { deriveUploader, MAX_PADDING_FACTOR, requireSealedUpload, type Upload } from './uploads.ts';

const MAX_SEALED_BYTES = MAX_INQUIRY_TOTAL_BYTES * MAX_PADDING_FACTOR;

export interface InquiryChoices {
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

export interface SealedInquiry extends InquiryChoices {
  readonly lookupHash: string;
  readonly caseKey: Uint8Array;
  /** The envelope itself, or where it was uploaded. */
  readonly inquiry: Uint8Array | Upload;
  readonly files: readonly Upload[];
  readonly sealedBy: SealedBy;
  /** The tag of the keys that it was sealed to; null if a client did not say. */
  readonly recipientSet: string | null;
}

/** Who submits through the API, and the idempotency key; both are null on the site. */
export interface CaseSubmitter {
  readonly viewer: CaseViewer | null;
  readonly caller?: RecordOwner;
  readonly repeat: IdempotentRequest | null;
}

const ANONYMOUS: CaseSubmitter = { viewer: null, repeat: null };

type CreationServices = Pick<Services, 'clock' | 'paymentProvider' | 'keyring' | 'store' | 'sealingKeys'>;

export interface OpenedCase {
  readonly record: Case;
  /** True if an earlier copy of the request opened the case, and this one has changed nothing. */
  readonly isRepeated: boolean;
}

/** Idempotent: a retry after a lost response gives the same case. */
export async function createCase(
  services: CreationServices,
  voucher: Voucher | null,
  sealed: SealedInquiry,
  submitter = ANONYMOUS,
): Promise<OpenedCase> {
  try {
    if (voucher === null) throw new ServiceError('form_expired');
    return await storeCase(services, voucher, sealed, submitter);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'idempotency_key_reused') throw error;
    // Only after an error, because most inquiries arrive once: if an earlier copy opened its case, the error is moot.
    const known = await findSentCase(services, sealed);
    if (!known) throw error;
    // An earlier copy would have redeemed the order, so this is another inquiry with words that were used before.
    if (voucher && (await isUnredeemed(services, voucher))) throw new ServiceError('case_exists');
    return { record: requireVisibleCase(known, submitter), isRepeated: true };
  }
}

/**
 * A lookup hash proves nothing, because it is in every copy of the records. A client that sealed the inquiry has its
 * `case.key`; one that had it sealed here has the words. For an unknown hash, the same steps are run with the key of
 * another case, against timing attacks.
 */
async function findSentCase(
  { clock, store }: CreationServices,
  { sealedBy, lookupHash, caseKey }: SealedInquiry,
): Promise<Case | undefined> {
  const now = clock.now();
  if (sealedBy === 'server') return await findUnpurgedCase(store.records, lookupHash, now);
  const nearest = await findNearestCase(store.records, lookupHash, now);
  const stored = nearest && (await readCaseKey(store, nearest));
  const isSame = stored?.byteLength === caseKey.byteLength && timingSafeEqual(stored, caseKey);
  return isSame && nearest?.lookup_hash === lookupHash ? nearest : undefined;
}

async function storeCase(
  services: CreationServices,
  voucher: Voucher,
  sealed: SealedInquiry,
  submitter: CaseSubmitter,
): Promise<OpenedCase> {
  const { store, keyring, clock } = services;
  requireSealedSizes(sealed);
  const sealingKeys = await services.sealingKeys;
  requireKeyRecipients(sealed, sealingKeys);
  await requireSealedParts(store.records, sealed);
  const id = generateId();
  const { inquiry } = sealed;
  const open = async (): Promise<OpenedCase> => {
    const opened = await openAtOnce(services, sealingKeys.set, voucher, sealed, submitter);
    if (opened) return { record: opened, isRepeated: false };
    return await store.transaction(async (records) => {
      const earlier = await findRepeatedCase(records, submitter, id, clock.now());
      if (earlier) return { record: earlier, isRepeated: true };
      if (await isLookupKnown(records, sealed.lookupHash)) throw new ServiceError('case_exists');
      await requireCurrentRecipientSet(records, sealingKeys.set, sealed.recipientSet);
      const tier = await redeemVoucher(records, services, voucher);
      const place = await storeCaseKey(store.shredKeys, records, id, sealed.caseKey);
      const wordsTag = deriveWordsTag(keyring, sealed.lookupHash);
      const facts = { id, tier, words_tag: wordsTag, ...place };
      const record = buildCaseRecord(sealed, { ...facts, viewer: submitter.viewer }, clock.now());
      await insertCase(records, record);
      if (submitter.caller) await linkNewCase(records, keyring, record, submitter.caller);
      await storeParts(records, record, sealed, () => deriveUploader(keyring, voucher));
      return { record, isRepeated: false };
    });
  };
  return await (isUploaded(inquiry) ? open() : store.gate.admitUpload(inquiry.length, open));
}

/** On PostgreSQL, one statement stores the usual inquiry: sent once, in one piece, for a paid order. Null otherwise. */
async function openAtOnce(
  services: CreationServices,
  ownSet: string,
  voucher: Voucher,
  sealed: SealedInquiry,
  { viewer, caller, repeat }: CaseSubmitter,
): Promise<Case | null> {
  const { store, keyring, clock } = services;
  const { inquiry, files, caseKey, lookupHash, recipientSet } = sealed;
  const isPlain = !isUploaded(inquiry) && files.length === 0 && inquiry.length <= MAX_STORED_PIECE_BYTES;
  if (!isPostgres(store.records) || !isPlain || (recipientSet ?? ownSet) !== ownSet) return null;
  const now = clock.now();
  const id = generateId();
  const wordsTag = deriveWordsTag(keyring, lookupHash);
  const facts = { id, tier: '', words_tag: wordsTag, key_slot: null, shred_id: null };
  const { tier: _, ...record } = buildCaseRecord(sealed, { ...facts, viewer }, now);
  const paid: PaidCase = {
    record,
    order: toOrderProof(services, voucher),
    sealedKey: caseKey,
    inquiry: { id: generateId(), bytes: inquiry },
    ownSet,
    link: buildNewLink(keyring, record, caller ?? null),
    claim: repeat && buildClaim(repeat, id, now),
  };
  return await store.transaction((records) => insertPaidCase(records, paid), 'one statement');
}

function isUploaded(part: Uint8Array | Upload): part is Upload {
  return !(part instanceof Uint8Array);
}

/** Words belong to one case: a second case cannot use them, and only a viewer of the first one sees it. */
function requireVisibleCase(known: Case, { viewer }: CaseSubmitter): Case {
  if (viewer && !isCaseVisibleTo(known, viewer)) throw new ServiceError('case_exists');
  return known;
}

/** The case that an earlier copy of this request created. */
async function findRepeatedCase(
  records: Records,
  { repeat }: CaseSubmitter,
  id: string,
  now: number,
): Promise<Case | undefined> {
  const earlierId = repeat ? await claimIdempotencyKey(records, repeat, id, now) : null;
  if (!repeat || earlierId === null) return undefined;
  const earlier = await findCase(records, earlierId, now);
  if (!earlier) await reassignIdempotencyKey(records, repeat, id);
  return earlier;
}

type CaseFacts = Pick<Case, 'id' | 'tier' | 'words_tag' | 'key_slot' | 'shred_id'> &
  Pick<CaseSubmitter, 'viewer'>;

function buildCaseRecord(sealed: SealedInquiry, facts: CaseFacts, now: number): Case {
  const { viewer, ...columns } = facts;
  return {
    ...columns,
    lookup_hash: sealed.lookupHash,
    owner: viewer?.owner ?? null,
    state: 'received',
    call: 'none',
    sealed_by: sealed.sealedBy,
    keep_days: sealed.keepDays,
    shortened_from: null,
    terms_version: sealed.termsVersion,
    sealed_to: sealed.recipientSet,
    awaiting_reply_since: null,
    submitted_at: now,
    due_at: now + DELIVERY_HOURS * HOUR_MS,
    delivered_at: null,
    taken_at: null,
    released_at: null,
    state_on_hold: null,
    finding_seq: 0,
    notice_id: null,
    assignee: null,
    changed_at: now,
    taken_from: null,
    finding_opened: 0,
    handed_by: null,
    purge_at: null,
    kept_until: null,
    purge_by: null,
    purging: 0,
  };
}

async function storeParts(
  records: Records,
  { id: caseId, submitted_at: now }: Case,
  { inquiry, files }: SealedInquiry,
  getUploader: () => string,
): Promise<void> {
  const envelope = { caseId, kind: 'inquiry.v1', seq: 0, now } as const;
  if (!isUploaded(inquiry)) await insertObject(records, { ...envelope, id: generateId(), bytes: inquiry });
  const uploads = [
    ...(isUploaded(inquiry) ? [{ ...envelope, ...inquiry }] : []),
    ...files.map((file, seq) => ({ caseId, kind: 'inquiry-file.v1', seq, now, ...file }) as const),
  ];
  if (uploads.length === 0) return;
  const uploader = getUploader();
  for (const { id, ...place } of uploads)
    if (!(await bindObject(records, { id, uploader }, place))) throw new ServiceError('upload_incomplete');
}

/** Checks what is visible without a key: padded sizes within the limits of the form. */
function requireSealedSizes({ inquiry, files }: SealedInquiry): void {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const fits =
    ENVELOPE_SIZES.includes(isUploaded(inquiry) ? inquiry.size : inquiry.length) &&
    files.length <= MAX_INQUIRY_FILES &&
    files.every(({ size }) => isSealedFileSize(size, MAX_INQUIRY_FILE_BYTES)) &&
    total <= MAX_SEALED_BYTES;
  if (!fits) throw new ServiceError('not_sealed');
}

/** A recipient added in transit could open the case; without a key, only the number of recipients is visible. */
function requireKeyRecipients({ caseKey }: SealedInquiry, { desk, recovery }: CaseKeyRecipients): void {
  const recipients = countRecipients(caseKey);
  if (recipients === null) throw new ServiceError('not_sealed');
  const words = 1;
  if (recipients !== [...desk, recovery].length + words) throw new ServiceError('sealing_keys_changed');
}

/** Plain text sent by mistake must not be stored as if it were sealed. */
async function requireSealedParts(records: Records, { inquiry, files }: SealedInquiry): Promise<void> {
  if (!isUploaded(inquiry) && countRecipients(inquiry) !== 1) throw new ServiceError('not_sealed');
  for (const part of [inquiry, ...files]) if (isUploaded(part)) await requireSealedUpload(records, part);
}
