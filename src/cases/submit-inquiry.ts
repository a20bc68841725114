/** An inquiry as a client submits it: sealed by the client, or in plain and sealed here; either way it is sent once. */
import { demandPaidOrder, type NamedOrder } from '#payments/paid-order.ts';
import { type TierName, tierOf } from '#payments/tiers.ts';
import { type FieldError, ServiceError } from '#platform/errors.ts';
import { validateInquiry } from '#seal/inquiry.ts';
import { SealError } from '#seal/seal-error.ts';
import { newWords, type WordKeys, wordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import { type Case, findCase, findCaseByLookup } from '#store/cases.ts';
import { madeBefore } from '#store/idempotent-request.ts';
import type { KeepDays } from '#store/tables.ts';
import { isSeenBy, type Viewer } from './access.ts';
import { openCase, type SealedInquiry, type Sender } from './open-case.ts';
import { beginArrival } from './seal-on-arrival.ts';
import { discardUpload, keepUpload, type Upload, uploadHolder } from './uploads.ts';

export interface Submission extends Sender {
  readonly viewer: Viewer;
  readonly clientId: string;
  readonly named: NamedOrder;
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

export interface SealedByClient {
  readonly lookupHash: string;
  readonly caseKey: Uint8Array;
  /** The envelope itself, or where it was uploaded. */
  readonly inquiry: Uint8Array | Upload;
  readonly files: readonly Upload[];
}

export interface InPlain {
  readonly inquiry: object;
  /** Chosen by the client, so that a lost answer loses nothing; made here otherwise. */
  readonly words: string | null;
}

export interface Submitted {
  readonly opened: Case;
  /** Words that were made here: told once, and kept nowhere. */
  readonly words: string | null;
}

export async function submitSealed(
  services: Services,
  submission: Submission,
  { lookupHash, caseKey, inquiry, files }: SealedByClient,
): Promise<Submitted> {
  const before = await sentBefore(services, submission, lookupHash);
  if (before) return { opened: before, words: null };
  const { voucher } = await demandPaidOrder(services, submission.clientId, submission.named);
  const holder = uploadHolder(services.keyring, voucher);
  const inline = inquiry instanceof Uint8Array;
  const envelope = inline ? await keepUpload(services, holder, ReadableStream.from([inquiry])) : inquiry;
  try {
    const { keepDays, termsVersion } = submission;
    const facts = { lookupHash, caseKey, inquiry: envelope, files, keepDays, termsVersion };
    const sealed: SealedInquiry = { ...facts, sealedBy: 'agent' };
    return { opened: await openCase(services, voucher, sealed, submission), words: null };
  } finally {
    // Of an envelope that has its case nothing is touched.
    if (inline) await discardUpload(services, envelope.id);
  }
}

export async function submitPlain(
  services: Services,
  submission: Submission,
  { inquiry: told, words: chosen }: InPlain,
): Promise<Submitted> {
  const known = chosen === null ? null : await keysOf(chosen);
  const before = await sentBefore(services, submission, known?.lookupHash ?? null);
  if (before) return { opened: before, words: null };
  const { order, voucher } = await demandPaidOrder(services, submission.clientId, submission.named);
  const checked = validateInquiry({ ...told, payment_ref: order.id }, tierOf(order.tier as TierName));
  if ('errors' in checked) throw invalid(checked.errors.map(inPlain));
  const made = known ? null : newWords();
  const keys = known ?? (await wordKeys(made ?? ''));
  const arrival = await beginArrival(services, keys, voucher);
  try {
    const sealed = await arrival.finish(checked.inquiry, submission);
    const opened = await openCase(services, voucher, sealed, submission);
    // The same request may have been faster, with words of its own.
    return { opened, words: opened.lookup_hash === keys.lookupHash ? made : null };
  } finally {
    await arrival.discard();
  }
}

/** The case that the same key or the same words opened, if this client may see it. */
async function sentBefore(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  { repeat, viewer }: Submission,
  lookupHash: string | null,
): Promise<Case | null> {
  const { records } = store;
  const id = repeat ? await madeBefore(records, repeat, clock.now()) : null;
  const byKey = id === null ? undefined : await findCase(records, id);
  const found = byKey ?? (lookupHash === null ? undefined : await findCaseByLookup(records, lookupHash));
  return found && isSeenBy(found, viewer) ? found : null;
}

async function keysOf(words: string): Promise<WordKeys> {
  try {
    return await wordKeys(words);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw invalid([{ pointer: '/plain/words', detail: error.message }]);
  }
}

function inPlain({ pointer, detail }: FieldError): FieldError {
  return { pointer: `/plain/inquiry${pointer}`, detail };
}

function invalid(errors: readonly FieldError[]): ServiceError {
  return new ServiceError('validation_failed', { errors });
}
