/** Submits the inquiry of an API client, sealed by the client or sealed here; a retry creates no second case. */
import { randomBytes } from 'node:crypto';
import { type OrderReference, type PaidOrder, requirePaidOrder } from '#payments/redeem.ts';
import { getTier, type TierName } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import { areExampleWords, encodeWords, generateWords, type WordKeys } from '#seal/core/words.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, findCase, findCaseByLookup } from '#store/cases/cases.ts';
import { findEarlierRecordId, findWordsSalt } from '#store/idempotent-request.ts';
import type { RecordOwner } from '#store/owner.ts';
import { isCaseVisibleTo } from '../access.ts';
import { createArrivalSealer } from '../sealing/seal-on-arrival.ts';
import {
  type CaseSubmitter,
  createCase,
  type InquiryChoices,
  type OpenedCase,
  type SealedInquiry,
} from './create-case.ts';
import { createFieldError, createFieldProblem, toWordsError } from './field-problems.ts';

const WORDS_SALT_BYTES = 32;
const WORDS_ENTROPY_BYTES = 16;

export interface InquirySubmission extends CaseSubmitter, InquiryChoices {
  readonly viewer: CaseViewer;
  readonly caller: RecordOwner;
  readonly order: OrderReference;
  /** The Idempotency-Key, if it cannot be guessed: words that are derived from it can be derived again. */
  readonly wordsKey: string | null;
}

export type ClientSealedInquiry = Omit<SealedInquiry, 'keepDays' | 'termsVersion' | 'sealedBy'>;

export interface PlainInquiry {
  readonly inquiry: object;
  /** Chosen by the client, so that a lost response loses nothing; if null, they are generated here. */
  readonly words: string | null;
}

export interface SubmissionResult extends OpenedCase {
  /** Words that were generated here; they are never stored. */
  readonly words: string | null;
}

export async function submitSealedInquiry(
  services: Services,
  submission: InquirySubmission,
  inquiry: ClientSealedInquiry,
): Promise<SubmissionResult> {
  const { caller, order, keepDays, termsVersion } = submission;
  const sealed: SealedInquiry = { ...inquiry, keepDays, termsVersion, sealedBy: 'agent' };
  if ('orderId' in order) {
    // Most orders are paid and unused, so this one is redeemed without checking it first.
    const opened = await createCase(services, { ...order, owner: caller }, sealed, submission).catch(
      passOverRefusal,
    );
    if (opened) return { ...opened, words: null };
  }
  const paid = await requirePaidOrderOrEarlierCase(services, submission, inquiry.lookupHash);
  if (!('voucher' in paid)) return { record: paid, isRepeated: true, words: null };
  return { ...(await createCase(services, paid.voucher, sealed, submission)), words: null };
}

/** Ignores a refusal: the order is checked next, which gives the reason. */
function passOverRefusal(error: unknown): null {
  if (error instanceof ServiceError && error.status < 500) return null;
  throw error;
}

export async function submitPlainInquiry(
  services: Services,
  submission: InquirySubmission,
  { inquiry: submitted, words: chosenWords }: PlainInquiry,
): Promise<SubmissionResult> {
  const chosenKeys = chosenWords === null ? null : await requireWordKeys(services, chosenWords);
  const lookupHash = chosenKeys?.lookupHash ?? null;
  const paid = await requirePaidOrderOrEarlierCase(services, submission, lookupHash);
  if (!('voucher' in paid)) {
    const words = chosenKeys ? null : await remakeWords(services, submission, paid);
    return { record: paid, isRepeated: true, words };
  }
  const { order, voucher } = paid;
  const { includesCall } = getTier(order.tier as TierName);
  const now = services.clock.now();
  const checked = validateInquiry({ ...submitted, payment_ref: order.id }, { includesCall, now });
  if ('errors' in checked) throw createFieldProblem(checked.errors, '/plain/inquiry');
  const wordsSalt = randomBytes(WORDS_SALT_BYTES).toString('base64url');
  const newWords = chosenKeys ? null : (makeWords(services, submission, wordsSalt) ?? generateWords());
  const keys = chosenKeys ?? (await services.sealing.deriveWordKeys(newWords ?? ''));
  const sealer = await createArrivalSealer(services, keys, voucher);
  try {
    const sealed = await sealer.finish(checked.inquiry, submission);
    const repeat = submission.repeat && { ...submission.repeat, wordsSalt: newWords && wordsSalt };
    const opened = await createCase(services, voucher, sealed, { ...submission, repeat });
    if (!newWords || opened.record.lookup_hash === keys.lookupHash) return { ...opened, words: newWords };
    // A concurrent copy of this request created the case, with other words.
    return { ...opened, words: await remakeWords(services, submission, opened.record) };
  } finally {
    await sealer.discard();
  }
}

/**
 * Derives words that can be derived again only with the caller's key, which neither the records nor the master key
 * contain. The salt is deleted with the row of the Idempotency-Key; after that, not even the key is enough. Null if
 * there is no key that cannot be guessed.
 */
function makeWords(
  { keyring }: Pick<Services, 'keyring'>,
  { wordsKey }: InquirySubmission,
  salt: string,
): string | null {
  if (wordsKey === null) return null;
  const secret = Buffer.from(keyring.tag('case words', `${salt}\n${wordsKey}`), 'base64url');
  return encodeWords(secret.subarray(0, WORDS_ENTROPY_BYTES));
}

/** The words of the case that an earlier copy of this request opened; null if they cannot be derived again. */
async function remakeWords(
  services: Pick<Services, 'keyring' | 'sealing' | 'store'>,
  submission: InquirySubmission,
  { lookup_hash: lookupHash }: Case,
): Promise<string | null> {
  const salt = submission.repeat && (await findWordsSalt(services.store.records, submission.repeat));
  const words = salt && makeWords(services, submission, salt);
  if (!words) return null;
  const keys = await services.sealing.deriveWordKeys(words);
  return keys.lookupHash === lookupHash ? words : null;
}

/** Error codes for an order that an earlier copy of the request has redeemed, or that is no longer known. */
const SPENT_ORDER_CODES: readonly string[] = ['order_redeemed', 'not_found'];

/** Creating a case detects repeated requests; the earlier case is looked up here only if the order is spent. */
async function requirePaidOrderOrEarlierCase(
  services: Services,
  submission: InquirySubmission,
  lookupHash: string | null,
): Promise<PaidOrder | Case> {
  try {
    return await requirePaidOrder(services, submission.caller, submission.order);
  } catch (error) {
    if (!(error instanceof ServiceError && SPENT_ORDER_CODES.includes(error.code))) throw error;
    const earlier = await findEarlierCase(services, submission, lookupHash);
    if (!earlier) throw error;
    return earlier;
  }
}

/** Finds the case created with the same idempotency key or the same words, if the caller may see it. */
async function findEarlierCase(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  { repeat, viewer }: InquirySubmission,
  lookupHash: string | null,
): Promise<Case | null> {
  const { records } = store;
  const now = clock.now();
  const id = repeat ? await findEarlierRecordId(records, repeat, now) : null;
  const byKey = id === null ? undefined : await findCase(records, id, now);
  const record =
    byKey ?? (lookupHash === null ? undefined : await findCaseByLookup(records, lookupHash, now));
  return record && isCaseVisibleTo(record, viewer) ? record : null;
}

async function requireWordKeys({ sealing }: Pick<Services, 'sealing'>, words: string): Promise<WordKeys> {
  const pointer = '/plain/words';
  try {
    if (!areExampleWords(words)) return await sealing.deriveWordKeys(words);
  } catch (error) {
    throw toWordsError(error, pointer);
  }
  const detail =
    'These words stand in published examples, so anyone could open the case with them. Leave them out, or make new ones at random.';
  throw createFieldError(pointer, detail);
}
