/** Seals one inquiry and sends it: keeps the keys, and what has arrived already, for as long as its page is open. */
import { base64urlnopad } from '@scure/base';
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { toAttachedFileError } from '#browser/rpc/seal-fault.ts';
import { createJsonRequest, sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import type { InquiryFormInput } from '#browser/workers/sealer-jobs.ts';
import { type CaseKey, type CaseKeyHolders, generateCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { type SealedPlace, sealEnvelope } from '#seal/envelope.ts';
import { type FormFault, isTicked } from '#seal/form-fields.ts';
import { stripImageMetadata } from '#seal/image-metadata.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/inquiry-files.ts';
import {
  readInquiryFromForm,
  sortInquiryFaults,
  toInquiryFormFaults,
  wordsNotKeptFault,
} from '#seal/inquiry-form.ts';
import { KEEP_DAYS_CONTROL, KEEP_EVIDENCE_CONTROL, WORDS_KEPT_CONTROL } from '#seal/inquiry-sections.ts';
import { computeSealedFileSize, sealFile } from '#seal/sealed-file.ts';
import { deriveWordKeys, generateWords } from '#seal/words.ts';
import { FORM_TOKEN_HEADER, INQUIRY_HIDDEN_FIELDS, SEALED_INQUIRY_PATH } from '#wire/inquiry-page.ts';
import type { SealedInquiryRequest, SentInquiry, UploadedPart } from '#wire/inquiry-requests.ts';
import { uploadInPieces } from './upload.ts';

interface OwnCase {
  readonly lookupHash: string;
  readonly key: CaseKey;
  readonly sealedKey: Uint8Array;
}

interface Shipment {
  readonly key: CaseKey;
  readonly token: string;
  /** Told of every byte that has arrived. */
  readonly arrived: (bytes: number) => void;
}

export class InquirySealer {
  #case: OwnCase | null = null;
  /** What the service holds, by what was sealed: a second try sends only what is missing. */
  readonly #held = new Map<string, UploadedPart>();

  /** The key is made and sealed at once: keys that it cannot be sealed to show before anybody writes. */
  async generateWordsAndKey(holders: CaseKeyHolders): Promise<string> {
    const words = generateWords();
    const keys = await deriveWordKeys(words);
    const key = await generateCaseKey(keys);
    this.#case = { lookupHash: keys.lookupHash, key, sealedKey: await sealCaseKey(key, holders) };
    return words;
  }

  checkForm(form: InquiryFormInput): readonly FormFault[] {
    const read = validateInquiryForm(form);
    return 'faults' in read ? read.faults : [];
  }

  async sendInquiry(form: InquiryFormInput, progress: ProgressCallback): Promise<SentInquiry> {
    const read = validateInquiryForm(form);
    if ('faults' in read) throw new UserFacingError({ code: 'invalid', sentence: 'Check what you wrote.' });
    try {
      return await this.#sendValidInquiry(form, read.inquiry, progress);
    } catch (error) {
      if (!(error instanceof UserFacingError && error.code === 'upload_incomplete')) throw error;
      // The service no longer has what it held, as after a page was left open for a day.
      this.#held.clear();
      return await this.#sendValidInquiry(form, read.inquiry, progress);
    }
  }

  async #sendValidInquiry(
    form: InquiryFormInput,
    inquiry: Inquiry,
    progress: ProgressCallback,
  ): Promise<SentInquiry> {
    if (!this.#case) throw new Error('a case needs its words first');
    const { lookupHash, key, sealedKey } = this.#case;
    const fields = new Map(form.fields);
    const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
    const arrived = createProgressMeter(envelope.length + computeExpectedBytes(key, form.files), progress);
    const shipment = { key, token: fields.get(INQUIRY_HIDDEN_FIELDS.token) ?? '', arrived };
    const asEvidence = isTicked(fields, KEEP_EVIDENCE_CONTROL);
    const files: UploadedPart[] = [];
    for (const [seq, file] of form.files.entries())
      files.push(await this.#sendFile(shipment, file, { seq, asEvidence }));
    const body: SealedInquiryRequest = {
      lookup_hash: lookupHash,
      case_key: base64urlnopad.encode(sealedKey),
      inquiry: await this.#sendEnvelope(shipment, inquiry, envelope),
      files,
      keep_days: Number(fields.get(KEEP_DAYS_CONTROL)),
      terms_version: fields.get(INQUIRY_HIDDEN_FIELDS.termsVersion) ?? '',
    };
    const { headers, ...request } = createJsonRequest(body);
    const allowed = { ...headers, [FORM_TOKEN_HEADER]: shipment.token };
    const answer = await sendRequestWithRetry(SEALED_INQUIRY_PATH, { ...request, headers: allowed });
    return (await answer.json()) as SentInquiry;
  }

  async #sendFile(
    shipment: Shipment,
    file: File,
    { seq, asEvidence }: { seq: number; asEvidence: boolean },
  ): Promise<UploadedPart> {
    const { name, type, size, lastModified } = file;
    const place = toFilePlace(seq);
    const expected = computeSealedFileSize(shipment.key, place, { name, mime: type }, size);
    const sameFile = JSON.stringify([seq, asEvidence, name, type, size, lastModified]);
    try {
      return await this.#uploadOnce(sameFile, expected, shipment, async () => {
        const content = asEvidence ? file.stream() : (await stripImageMetadata(file.stream())).content;
        return await sealFile(shipment.key, place, {
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

  async #sendEnvelope(shipment: Shipment, inquiry: Inquiry, envelope: Uint8Array): Promise<UploadedPart> {
    const streamEnvelope = async () => new Blob([envelope as BlobPart]).stream();
    return await this.#uploadOnce(JSON.stringify(inquiry), envelope.length, shipment, streamEnvelope);
  }

  async #uploadOnce(
    what: string,
    expected: number,
    { token, arrived }: Shipment,
    seal: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<UploadedPart> {
    const held = this.#held.get(what);
    const uploaded = held ?? (await uploadInPieces(await seal(), { token, arrived }));
    this.#held.set(what, uploaded);
    // A picture without its hidden data is shorter than was expected.
    arrived(expected - (held ? 0 : uploaded.size));
    return uploaded;
  }
}

function validateInquiryForm(
  form: InquiryFormInput,
): { inquiry: Inquiry } | { faults: readonly FormFault[] } {
  const fields = new Map(form.fields);
  const files = form.files.map(({ name, type, size }) => ({ name, mime: type, size }));
  const { paymentRef, includesCall } = form;
  const checked = validateInquiry(readInquiryFromForm(fields, { paymentRef, files }), { includesCall });
  const faults = 'errors' in checked ? toInquiryFormFaults(checked.errors, fields) : [];
  if (!isTicked(fields, WORDS_KEPT_CONTROL)) faults.push(wordsNotKeptFault);
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
