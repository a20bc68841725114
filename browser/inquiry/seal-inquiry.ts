/** Seals and sends one inquiry; keeps the keys and the finished uploads while the page is open. */
import { base64urlnopad } from '@scure/base';
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
import { KEEP_DAYS_CONTROL, KEEP_EVIDENCE_CONTROL } from '#seal/inquiry-sections.ts';
import { computeSealedFileSize, sealFile } from '#seal/sealed-file.ts';
import { deriveWordKeys, generateWords, parseWords } from '#seal/words.ts';
import { FORM_TOKEN_HEADER, INQUIRY_HIDDEN_FIELDS, SEALED_INQUIRY_PATH } from '#wire/inquiry-page.ts';
import type { SealedInquiryRequest, SentInquiry, UploadedPart } from '#wire/inquiry-requests.ts';
import { uploadInPieces } from './upload.ts';

interface NewCase {
  readonly words: string;
  readonly lookupHash: string;
  readonly key: CaseKey;
  readonly sealedKey: Uint8Array;
  readonly sealingSet: string;
}

interface UploadContext {
  readonly key: CaseKey;
  readonly token: string;
  /** Called with the number of uploaded bytes. */
  readonly onUploaded: (bytes: number) => void;
}

export class InquirySealer {
  #case: NewCase | null = null;
  /** Finished uploads by what was sealed, so that a second try sends only what is missing. */
  readonly #uploads = new Map<string, UploadedPart>();

  /** Also seals the key, so that invalid recipients are noticed before the buyer writes anything. */
  async generateWordsAndKey({ set, former, ...holders }: SealerJobs['words']['input']): Promise<string> {
    const words = former === undefined ? generateWords() : parseWords(former);
    const keys = await deriveWordKeys(words);
    const key = await generateCaseKey(keys);
    const sealedKey = await sealCaseKey(key, holders);
    this.#case = { words, lookupHash: keys.lookupHash, key, sealedKey, sealingSet: set };
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
      this.#uploads.clear();
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
    const { lookupHash, key, sealedKey, sealingSet } = this.#newCase;
    const fields = new Map(form.fields);
    const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
    const onUploaded = createProgressMeter(envelope.length + computeExpectedBytes(key, form.files), progress);
    const upload = { key, token: fields.get(INQUIRY_HIDDEN_FIELDS.token) ?? '', onUploaded };
    const asEvidence = isTicked(fields, KEEP_EVIDENCE_CONTROL);
    const files: UploadedPart[] = [];
    for (const [seq, file] of form.files.entries())
      files.push(await this.#sendFile(upload, file, { seq, asEvidence }));
    const body: SealedInquiryRequest = {
      lookup_hash: lookupHash,
      case_key: base64urlnopad.encode(sealedKey),
      sealing_set: sealingSet,
      inquiry: await this.#sendEnvelope(upload, inquiry, envelope),
      files,
      keep_days: Number(fields.get(KEEP_DAYS_CONTROL)),
      terms_version: fields.get(INQUIRY_HIDDEN_FIELDS.termsVersion) ?? '',
    };
    const { headers, ...request } = createJsonRequest(body);
    const headersWithToken = { ...headers, [FORM_TOKEN_HEADER]: upload.token };
    const response = await sendRequestWithRetry(SEALED_INQUIRY_PATH, {
      ...request,
      headers: headersWithToken,
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
    const fileKey = JSON.stringify([seq, asEvidence, name, type, size, lastModified]);
    try {
      return await this.#uploadOnce(fileKey, expectedBytes, upload, async () => {
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
    return await this.#uploadOnce(JSON.stringify(inquiry), envelope.length, upload, streamEnvelope);
  }

  async #uploadOnce(
    uploadKey: string,
    expectedBytes: number,
    { token, onUploaded }: UploadContext,
    seal: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<UploadedPart> {
    const existing = this.#uploads.get(uploadKey);
    const uploaded = existing ?? (await uploadInPieces(await seal(), { token, onUploaded }));
    this.#uploads.set(uploadKey, uploaded);
    // An image without its metadata is smaller than expected.
    onUploaded(expectedBytes - (existing ? 0 : uploaded.size));
    return uploaded;
  }
}

function validateInquiryForm(
  form: InquiryFormInput,
  words: string,
): { inquiry: Inquiry } | { faults: readonly FormFault[] } {
  const fields = new Map(form.fields);
  const files = form.files.map(({ name, type, size }) => ({ name, mime: type, size }));
  const { paymentRef, includesCall } = form;
  const checked = validateInquiry(readInquiryFromForm(fields, { paymentRef, files }), { includesCall });
  const faults = 'errors' in checked ? toInquiryFormFaults(checked.errors, fields) : [];
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

function createProgressMeter(total: number, progress: ProgressCallback): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    progress(Math.min(1, done / total));
  };
}
