/** Seals and sends one inquiry; keeps the keys and the finished uploads while the page is open. */
import { base64urlnopad } from '@scure/base';
import { SealedUploads, type UploadMeter, type UploadTarget } from '#browser/files/sealed-uploads.ts';
import {
  computeSealedFilesSize,
  createProgressMeter,
  listEmptyFileFaults,
  sendFiles,
} from '#browser/files/send-files.ts';
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { FormEntry, ProgressCallback } from '#browser/rpc/jobs.ts';
import { createJsonRequest, sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { type CaseKey, type CaseKeyRecipients, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords, parseWords } from '#seal/core/words.ts';
import { listAskedWordFaults } from '#seal/form/asked-words.ts';
import { type FormFault, isTicked } from '#seal/form/form-fields.ts';
import { type Inquiry, validateInquiry } from '#seal/form/inquiry.ts';
import { readInquiryFromForm, sortInquiryFaults, toInquiryFormFaults } from '#seal/form/inquiry-form.ts';
import { KEEP_EVIDENCE_CONTROL } from '#seal/form/inquiry-sections.ts';
import {
  FORM_TOKEN_HEADER,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_UPLOADS_PATH,
  SEALED_INQUIRY_PATH,
} from '#wire/inquiry-page.ts';
import type { SealedInquiryRequest, SentInquiry, UploadedPart } from '#wire/inquiry-requests.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';

export interface InquiryFormInput {
  readonly fields: readonly FormEntry[];
  readonly files: readonly File[];
  readonly paymentRef: string;
  readonly includesCall: boolean;
}

/** The keys that the page names, and the id of their set. */
export interface PageSealingKeys extends CaseKeyRecipients {
  readonly set: string;
}

export type WordsInput = PageSealingKeys & { readonly previous?: string | undefined };

interface NewCase {
  readonly words: string;
  readonly lookupHash: string;
  readonly key: CaseKey;
  readonly sealedKey: Uint8Array;
  readonly recipientSet: string;
}

export class InquirySealer {
  #case: NewCase | null = null;
  readonly #uploads = new SealedUploads();

  /** Also seals the key, so that invalid recipients are noticed before the buyer writes anything. */
  async generateWordsAndKey({ set, previous, ...holders }: WordsInput): Promise<string> {
    const words = previous === undefined ? generateWords() : parseWords(previous);
    const keys = await deriveWordKeys(words);
    const key = await generateCaseKey(keys);
    const sealedKey = await sealCaseKey(key, holders);
    const { lookupHash } = keys;
    this.#case = { words, lookupHash, key, sealedKey, recipientSet: set };
    return words;
  }

  checkForm(form: InquiryFormInput): readonly FormFault[] {
    const checked = validateInquiryForm(form, this.#newCase.words);
    return 'faults' in checked ? checked.faults : [];
  }

  async sendInquiry(form: InquiryFormInput, progress: ProgressCallback): Promise<SentInquiry> {
    const checked = validateInquiryForm(form, this.#newCase.words);
    if ('faults' in checked) throw new UserFacingError({ code: 'client' });
    try {
      return await this.#sendValidInquiry(form, checked.inquiry, progress);
    } catch (error) {
      if (!(error instanceof UserFacingError && error.code === 'upload_incomplete')) throw error;
      // The service has deleted the uploads, for example because the page was open for a day.
      this.#uploads.discardAll();
      return await this.#sendValidInquiry(form, checked.inquiry, progress);
    }
  }

  get #newCase(): NewCase {
    if (!this.#case) throw new Error('the words are not generated yet');
    return this.#case;
  }

  async #sendValidInquiry(
    form: InquiryFormInput,
    inquiry: Inquiry,
    progress: ProgressCallback,
  ): Promise<SentInquiry> {
    const { lookupHash, key, sealedKey, recipientSet } = this.#newCase;
    const fields = new Map(form.fields);
    const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
    const asEvidence = isTicked(fields, KEEP_EVIDENCE_CONTROL);
    const placed = { key, files: form.files, asEvidence, toPlace: toFilePlace };
    const meter = createProgressMeter(envelope.length + computeSealedFilesSize(placed), progress);
    const token = { [FORM_TOKEN_HEADER]: fields.get(INQUIRY_HIDDEN_FIELDS.token) ?? '' };
    const target = { path: INQUIRY_UPLOADS_PATH, headers: token };
    const files = await sendFiles(this.#uploads, placed, target, meter);
    const body: SealedInquiryRequest = {
      lookup_hash: lookupHash,
      case_key: base64urlnopad.encode(sealedKey),
      sealing_set: recipientSet,
      inquiry: await this.#sendEnvelope(inquiry, envelope, target, meter),
      files,
      keep_days: KEEP_DAYS[0],
      terms_version: fields.get(INQUIRY_HIDDEN_FIELDS.termsVersion) ?? '',
    };
    const { headers, ...request } = createJsonRequest(body);
    const response = await sendRequestWithRetry(SEALED_INQUIRY_PATH, {
      ...request,
      headers: { ...headers, ...token },
      onWaiting: meter.onWaiting,
    });
    return (await response.json()) as SentInquiry;
  }

  async #sendEnvelope(
    inquiry: Inquiry,
    envelope: Uint8Array,
    target: UploadTarget,
    meter: UploadMeter,
  ): Promise<UploadedPart> {
    const seal = async () => new Blob([envelope as BlobPart]).stream();
    const part = { key: JSON.stringify(inquiry), expectedBytes: envelope.length, seal };
    return await this.#uploads.uploadOnce(part, target, meter);
  }
}

function validateInquiryForm(
  form: InquiryFormInput,
  words: string,
): { inquiry: Inquiry } | { faults: readonly FormFault[] } {
  const fields = new Map(form.fields);
  const files = form.files.map(({ name, type, size }) => ({ name, mime: type, size }));
  const { paymentRef, includesCall } = form;
  const value = readInquiryFromForm(fields, { paymentRef, files });
  const checked = validateInquiry(value, { includesCall, now: Date.now() });
  const faults = 'errors' in checked ? toInquiryFormFaults(checked.errors, fields) : [];
  faults.push(...listEmptyFileFaults(form.files));
  faults.push(...listAskedWordFaults(fields, words));
  return 'inquiry' in checked && faults.length === 0 ? checked : { faults: sortInquiryFaults(faults) };
}

function toFilePlace(seq: number): SealedPlace {
  return { kind: 'inquiry-file.v1', seq };
}
