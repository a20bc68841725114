/** Seals and sends one inquiry; keeps the keys and the finished uploads while the page is open. */
import { base64urlnopad } from '@scure/base';
import type { UploadMeter } from '#browser/files/piece-upload.ts';
import { SealedUploads } from '#browser/files/sealed-uploads.ts';
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { toAttachedFileError } from '#browser/rpc/seal-fault.ts';
import { createJsonRequest, sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import type { InquiryFormInput, SealerJobs } from '#browser/workers/sealer-jobs.ts';
import { listAskedWordFaults } from '#seal/asked-words.ts';
import { type CaseKey, generateCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { type SealedPlace, sealEnvelope } from '#seal/envelope.ts';
import { type FormFault, isTicked } from '#seal/form-fields.ts';
import { stripImageMetadata } from '#seal/image-metadata.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/inquiry-files.ts';
import { readInquiryFromForm, sortInquiryFaults, toInquiryFormFaults } from '#seal/inquiry-form.ts';
import { FILES_CONTROL, KEEP_DAYS_CONTROL, KEEP_EVIDENCE_CONTROL } from '#seal/inquiry-sections.ts';
import { computeSealedFileSize, sealFile } from '#seal/sealed-file.ts';
import { deriveWordKeys, generateWords, parseWords } from '#seal/words.ts';
import {
  FORM_TOKEN_HEADER,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_UPLOADS_PATH,
  SEALED_INQUIRY_PATH,
} from '#wire/inquiry-page.ts';
import type { SealedInquiryRequest, SentInquiry, UploadedPart } from '#wire/inquiry-requests.ts';

interface NewCase {
  readonly words: string;
  readonly lookupHash: string;
  readonly newsHash: string;
  readonly key: CaseKey;
  readonly sealedKey: Uint8Array;
  readonly sealingSet: string;
}

interface UploadContext {
  readonly key: CaseKey;
  readonly headers: Readonly<Record<string, string>>;
  readonly meter: UploadMeter;
}

export class InquirySealer {
  #case: NewCase | null = null;
  readonly #uploads = new SealedUploads();

  /** Also seals the key, so that invalid recipients are noticed before the buyer writes anything. */
  async generateWordsAndKey({ set, former, ...holders }: SealerJobs['words']['input']): Promise<string> {
    const words = former === undefined ? generateWords() : parseWords(former);
    const keys = await deriveWordKeys(words);
    const key = await generateCaseKey(keys);
    const sealedKey = await sealCaseKey(key, holders);
    const { lookupHash, newsHash } = keys;
    this.#case = { words, lookupHash, newsHash, key, sealedKey, sealingSet: set };
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
    const { lookupHash, newsHash, key, sealedKey, sealingSet } = this.#newCase;
    const fields = new Map(form.fields);
    const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
    const meter = createProgressMeter(envelope.length + computeExpectedBytes(key, form.files), progress);
    const token = { [FORM_TOKEN_HEADER]: fields.get(INQUIRY_HIDDEN_FIELDS.token) ?? '' };
    const upload = { key, headers: token, meter };
    const asEvidence = isTicked(fields, KEEP_EVIDENCE_CONTROL);
    const files: UploadedPart[] = [];
    for (const [seq, file] of form.files.entries())
      files.push(await this.#sendFile(upload, file, { seq, asEvidence }));
    const body: SealedInquiryRequest = {
      lookup_hash: lookupHash,
      news_hash: newsHash,
      case_key: base64urlnopad.encode(sealedKey),
      sealing_set: sealingSet,
      inquiry: await this.#sendEnvelope(upload, inquiry, envelope),
      files,
      keep_days: Number(fields.get(KEEP_DAYS_CONTROL)),
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

  async #sendFile(
    upload: UploadContext,
    file: File,
    { seq, asEvidence }: { seq: number; asEvidence: boolean },
  ): Promise<UploadedPart> {
    const { name, type, size, lastModified } = file;
    const place = toFilePlace(seq);
    const expectedBytes = computeSealedFileSize(upload.key, place, { name, mime: type }, size);
    const contentKey = JSON.stringify([seq, asEvidence, name, type, size, lastModified]);
    try {
      return await this.#uploadPart(upload, contentKey, expectedBytes, async () => {
        const content = asEvidence ? file.stream() : (await stripImageMetadata(file.stream())).content;
        return await sealFile(upload.key, place, {
          name,
          mime: type,
          content,
          maxBytes: MAX_INQUIRY_FILE_BYTES,
        });
      });
    } catch (error) {
      throw toAttachedFileError(error, name);
    }
  }

  async #sendEnvelope(upload: UploadContext, inquiry: Inquiry, envelope: Uint8Array): Promise<UploadedPart> {
    const streamEnvelope = async () => new Blob([envelope as BlobPart]).stream();
    return await this.#uploadPart(upload, JSON.stringify(inquiry), envelope.length, streamEnvelope);
  }

  async #uploadPart(
    { headers, meter }: UploadContext,
    key: string,
    expectedBytes: number,
    seal: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<UploadedPart> {
    const target = { path: INQUIRY_UPLOADS_PATH, headers };
    return await this.#uploads.uploadOnce({ key, expectedBytes, seal }, target, meter);
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
  const empty = form.files.find(({ size }) => size === 0);
  if (empty) {
    const values = { name: empty.name, fault: { key: 'problem.file_empty' } };
    faults.push({ field: FILES_CONTROL, message: { key: 'fault.files.named', values } });
  }
  faults.push(...listAskedWordFaults(fields, words));
  return 'inquiry' in checked && faults.length === 0 ? checked : { faults: sortInquiryFaults(faults) };
}

function toFilePlace(seq: number): SealedPlace {
  return { kind: 'inquiry-file.v1', seq };
}

function computeExpectedBytes(key: CaseKey, files: readonly File[]): number {
  const sizes = files.map(({ name, type, size }, seq) =>
    computeSealedFileSize(key, toFilePlace(seq), { name, mime: type }, size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function createProgressMeter(total: number, progress: ProgressCallback): UploadMeter {
  let done = 0;
  const computeShare = () => Math.min(1, done / total);
  return {
    onUploaded: (bytes) => {
      done += bytes;
      progress(computeShare());
    },
    onWaiting: () => progress(computeShare(), true),
  };
}
