/** Submits the inquiry of an API client, sealed by the client or sealed here; a retry creates no second case. */

import { findSpendableOrder, type OrderReference, requirePaidOrder } from '#payments/paid-order.ts';
import { getTier, type TierName } from '#payments/tiers.ts';
import { generateWords, type WordKeys } from '#seal/core/words.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, findCase, findCaseByLookup } from '#store/cases/cases.ts';
import { findEarlierRecordId } from '#store/clients/idempotent-request.ts';
import type { RecordOwner } from '#store/owner.ts';
import { isCaseVisibleTo } from '../access.ts';
import type { KeepDays } from '../ending/retention.ts';
import { createArrivalSealer } from '../sealing/seal-on-arrival.ts';
import { type CaseSubmitter, createCase, type SealedInquiry } from './create-case.ts';
import { createFieldProblem } from './field-problems.ts';
import type { Upload } from './uploads.ts';
import { toWordsError } from './words-error.ts';

export interface InquirySubmission extends CaseSubmitter {
  readonly viewer: CaseViewer;
  readonly caller: RecordOwner;
  readonly order: OrderReference;
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

export interface ClientSealedInquiry {
  readonly lookupHash: string;
  readonly caseKey: Uint8Array;
  readonly recipientSet: string | null;
  /** The envelope itself, or where it was uploaded. */
  readonly inquiry: Uint8Array | Upload;
  readonly files: readonly Upload[];
}

export interface PlainInquiry {
  readonly inquiry: object;
  /** Chosen by the client, so that a lost response loses nothing; if null, they are generated here. */
  readonly words: string | null;
}

export interface SubmissionResult {
  readonly record: Case;
  /** Words that were generated here: returned once and never stored. */
  readonly words: string | null;
}

export async function submitSealedInquiry(
  services: Services,
  submission: InquirySubmission,
  inquiry: ClientSealedInquiry,
): Promise<SubmissionResult> {
  const { caller, order, keepDays, termsVersion } = submission;
  // The creation itself notices a repeated request; only what cannot be paid for has to be looked up before.
  const paid =
    (await findSpendableOrder(services, caller, order)) ??
    (await findEarlierCase(services, submission, inquiry.lookupHash)) ??
    (await requirePaidOrder(services, caller, order));
  if (!('voucher' in paid)) return { record: paid, words: null };
  const sealed: SealedInquiry = { ...inquiry, keepDays, termsVersion, sealedBy: 'agent' };
  return { record: await createCase(services, paid.voucher, sealed, submission), words: null };
}

export async function submitPlainInquiry(
  services: Services,
  submission: InquirySubmission,
  { inquiry: submitted, words: chosenWords }: PlainInquiry,
): Promise<SubmissionResult> {
  const chosenKeys = chosenWords === null ? null : await requireWordKeys(services, chosenWords);
  const earlier = await findEarlierCase(services, submission, chosenKeys?.lookupHash ?? null);
  if (earlier) return { record: earlier, words: null };
  const { order, voucher } = await requirePaidOrder(services, submission.caller, submission.order);
  const { includesCall } = getTier(order.tier as TierName);
  const now = services.clock.now();
  const checked = validateInquiry({ ...submitted, payment_ref: order.id }, { includesCall, now });
  if ('errors' in checked) throw createFieldProblem(checked.errors, '/plain/inquiry');
  const newWords = chosenKeys ? null : generateWords();
  const keys = chosenKeys ?? (await services.sealing.deriveWordKeys(newWords ?? ''));
  const sealer = await createArrivalSealer(services, keys, voucher);
  try {
    const sealed = await sealer.finish(checked.inquiry, submission);
    const record = await createCase(services, voucher, sealed, submission);
    // A concurrent copy of this request may have created the case with other words.
    return { record, words: record.lookup_hash === keys.lookupHash ? newWords : null };
  } finally {
    await sealer.discard();
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
  try {
    return await sealing.deriveWordKeys(words);
  } catch (error) {
    throw toWordsError(error, '/plain/words');
  }
}
