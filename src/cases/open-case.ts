/** Opens a case: spends the paid order and keeps what was sealed for it, all or nothing. */
import { redeem, type Voucher } from '#payments/redeem.ts';
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { recipientsIn } from '#seal/age.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import type { Kind } from '#seal/header.ts';
import { MAX_FILE_BYTES, MAX_FILES, MAX_FILES_BYTES } from '#seal/inquiry.ts';
import { isSealedFileSize } from '#seal/sealed-file.ts';
import type { Services } from '#services.ts';
import { type Case, findCase, insertCase } from '#store/cases.ts';
import { giveKeyTo, type Repeat, takeKey } from '#store/idempotent-request.ts';
import { bindObject, readPiece, sizeOfPieces } from '#store/objects.ts';
import { bindShredKey, shutAway } from '#store/shred-keys.ts';
import type { KeepDays, Records, SealedBy } from '#store/tables.ts';
import { isSeenBy, type Viewer, wordsTag } from './access.ts';
import { findOrPurged } from './sealed-case.ts';
import { type Upload, uploadHolder } from './uploads.ts';

const DELIVERY_MS = 48 * 60 * 60_000;

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

/** Who sends it through the API, and the key under which it may come again; nobody at the site. */
export interface Sender {
  readonly viewer: Viewer | null;
  readonly repeat: Repeat | null;
}

const SOMEBODY: Sender = { viewer: null, repeat: null };

/** The same lookup hash is the same case: sending again, after an answer that got lost, costs nothing. */
export async function openCase(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  voucher: Voucher | null,
  sealed: SealedInquiry,
  sender = SOMEBODY,
): Promise<Case> {
  const { store, keyring, clock } = services;
  const known = await findOrPurged(store.records, sealed.lookupHash);
  if (known) return sameCase(known, sender);
  if (voucher === null) throw new ServiceError('form_expired');
  const holder = uploadHolder(keyring, voucher);
  demandSizes(sealed);
  await demandSealed(store.records, sealed);
  const id = newId();
  const box = await shutAway(store.shredKeys, id, sealed.caseKey, clock.now());
  const opened = await store.transaction(async (records) => {
    const other = await findOrPurged(records, sealed.lookupHash);
    if (other) return sameCase(other, sender);
    const earlier = await openedBefore(records, sender, id, clock.now());
    if (earlier) return earlier;
    const order = await redeem(records, keyring, voucher);
    if (!order) throw new ServiceError('payment_required');
    const facts = { id, box, tier: order.tier, words_tag: wordsTag(keyring, sealed.lookupHash) };
    const fresh = caseOf(sealed, { ...facts, viewer: sender.viewer }, clock.now());
    await insertCase(records, fresh);
    await bind(records, fresh, holder, sealed);
    return fresh;
  });
  // Only now: until the case is there, its key counts as one that may be left over.
  if (opened.id === id && !(await bindShredKey(store.shredKeys, id)))
    throw new ServiceError('storage_unavailable');
  return opened;
}

/** Words are somebody's own: a second case cannot have them, and the first is shown to nobody else. */
function sameCase(known: Case, { viewer }: Sender): Case {
  if (viewer && !isSeenBy(known, viewer)) throw new ServiceError('case_exists');
  return known;
}

/** What the same request opened before, with words that only its first answer told. */
async function openedBefore(
  records: Records,
  { repeat }: Sender,
  id: string,
  now: number,
): Promise<Case | undefined> {
  const before = repeat ? await takeKey(records, repeat, id, now) : null;
  if (!repeat || before === null) return undefined;
  const earlier = await findCase(records, before);
  if (!earlier) await giveKeyTo(records, repeat, id);
  return earlier;
}

interface CaseFacts {
  readonly id: string;
  readonly box: Uint8Array;
  readonly tier: string;
  readonly words_tag: string;
  readonly viewer: Viewer | null;
}

function caseOf(sealed: SealedInquiry, facts: CaseFacts, now: number): Case {
  const { id, box, tier, words_tag, viewer } = facts;
  return {
    id,
    lookup_hash: sealed.lookupHash,
    owner: viewer?.owner ?? null,
    user_tag: viewer?.user_tag ?? null,
    words_tag,
    tier,
    state: 'received',
    call: 'none',
    sealed_by: sealed.sealedBy,
    keep_days: sealed.keepDays,
    terms_version: sealed.termsVersion,
    key_box: box,
    submitted_at: now,
    due_at: now + DELIVERY_MS,
    delivered_at: null,
    purge_at: null,
    purging: 0,
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
