/** An inquiry as a client submits it: sealed by the client, or in plain and sealed here; either way it is sent once. */
import { type OrderReference, requirePaidOrder } from '#payments/paid-order.ts';
import { getTier, type TierName } from '#payments/tiers.ts';
import { type ProblemFieldError, ServiceError } from '#platform/errors.ts';
import { validateInquiry } from '#seal/inquiry.ts';
import { SealError } from '#seal/seal-error.ts';
import { deriveWordKeys, generateWords, type WordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import { type Case, findCase, findCaseByLookup } from '#store/cases.ts';
import { findEarlierRecordId } from '#store/idempotent-request.ts';
import { type CaseViewer, isCaseVisibleTo } from './access.ts';
import { type CaseSubmitter, createCase, type SealedInquiry } from './create-case.ts';
import type { KeepDays } from './retention.ts';
import { createArrivalSealer } from './seal-on-arrival.ts';
import { deriveUploadHolder, discardUpload, storeUpload, type Upload } from './uploads.ts';

export interface InquirySubmission extends CaseSubmitter {
  readonly viewer: CaseViewer;
  readonly clientId: string;
  readonly named: OrderReference;
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

export interface ClientSealedInquiry {
  readonly lookupHash: string;
  readonly caseKey: Uint8Array;
  /** The envelope itself, or where it was uploaded. */
  readonly inquiry: Uint8Array | Upload;
  readonly files: readonly Upload[];
}

export interface PlainInquiry {
  readonly inquiry: object;
  /** Chosen by the client, so that a lost answer loses nothing; made here otherwise. */
  readonly words: string | null;
}

export interface SubmissionResult {
  readonly opened: Case;
  /** Words that were made here: told once, and kept nowhere. */
  readonly words: string | null;
}

export async function submitSealedInquiry(
  services: Services,
  submission: InquirySubmission,
  { lookupHash, caseKey, inquiry, files }: ClientSealedInquiry,
): Promise<SubmissionResult> {
  const before = await findEarlierCase(services, submission, lookupHash);
  if (before) return { opened: before, words: null };
  const { voucher } = await requirePaidOrder(services, submission.clientId, submission.named);
  const holder = deriveUploadHolder(services.keyring, voucher);
  const inline = inquiry instanceof Uint8Array;
  const envelope = inline ? await storeUpload(services, holder, ReadableStream.from([inquiry])) : inquiry;
  try {
    const { keepDays, termsVersion } = submission;
    const facts = { lookupHash, caseKey, inquiry: envelope, files, keepDays, termsVersion };
    const sealed: SealedInquiry = { ...facts, sealedBy: 'agent' };
    return { opened: await createCase(services, voucher, sealed, submission), words: null };
  } finally {
    // Of an envelope that has its case nothing is touched.
    if (inline) await discardUpload(services, envelope.id);
  }
}

export async function submitPlainInquiry(
  services: Services,
  submission: InquirySubmission,
  { inquiry: told, words: chosen }: PlainInquiry,
): Promise<SubmissionResult> {
  const known = chosen === null ? null : await requireWordKeys(chosen);
  const before = await findEarlierCase(services, submission, known?.lookupHash ?? null);
  if (before) return { opened: before, words: null };
  const { order, voucher } = await requirePaidOrder(services, submission.clientId, submission.named);
  const checked = validateInquiry({ ...told, payment_ref: order.id }, getTier(order.tier as TierName));
  if ('errors' in checked) throw createValidationError(checked.errors.map(toPlainFieldError));
  const made = known ? null : generateWords();
  const keys = known ?? (await deriveWordKeys(made ?? ''));
  const arrival = await createArrivalSealer(services, keys, voucher);
  try {
    const sealed = await arrival.finish(checked.inquiry, submission);
    const opened = await createCase(services, voucher, sealed, submission);
    // The same request may have been faster, with words of its own.
    return { opened, words: opened.lookup_hash === keys.lookupHash ? made : null };
  } finally {
    await arrival.discard();
  }
}

/** The case that the same key or the same words opened, if this client may see it. */
async function findEarlierCase(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  { repeat, viewer }: InquirySubmission,
  lookupHash: string | null,
): Promise<Case | null> {
  const { records } = store;
  const id = repeat ? await findEarlierRecordId(records, repeat, clock.now()) : null;
  const byKey = id === null ? undefined : await findCase(records, id);
  const found = byKey ?? (lookupHash === null ? undefined : await findCaseByLookup(records, lookupHash));
  return found && isCaseVisibleTo(found, viewer) ? found : null;
}

async function requireWordKeys(words: string): Promise<WordKeys> {
  try {
    return await deriveWordKeys(words);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw createValidationError([{ pointer: '/plain/words', detail: error.message }]);
  }
}

function toPlainFieldError({ pointer, detail }: ProblemFieldError): ProblemFieldError {
  return { pointer: `/plain/inquiry${pointer}`, detail };
}

function createValidationError(errors: readonly ProblemFieldError[]): ServiceError {
  return new ServiceError('validation_failed', { errors });
}
