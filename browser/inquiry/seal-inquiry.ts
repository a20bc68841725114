/** Seals one inquiry and sends it: keeps the keys, and what has arrived already, for as long as its page is open. */
import { base64urlnopad } from '@scure/base';
import { Fault } from '#browser/rpc/fault.ts';
import type { Progress } from '#browser/rpc/jobs.ts';
import { asFaultOfFile } from '#browser/rpc/seal-fault.ts';
import { askUntilAnswered, jsonOf } from '#browser/rpc/service-requests.ts';
import type { Holders, InquiryForm, SentInquiry } from '#browser/workers/sealer-jobs.ts';
import { type CaseKey, newCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { type Place, sealEnvelope } from '#seal/envelope.ts';
import { type FormFault, isTicked } from '#seal/form-fields.ts';
import { stripImageMetadata } from '#seal/image-metadata.ts';
import { type Inquiry, MAX_FILE_BYTES, validateInquiry } from '#seal/inquiry.ts';
import { formFaults, inFormOrder, inquiryFromForm, wordsNotKept } from '#seal/inquiry-form.ts';
import { sealedFileSize, sealFile } from '#seal/sealed-file.ts';
import { newWords, wordKeys } from '#seal/words.ts';
import { type Uploaded, upload } from './upload.ts';

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

export class InquirySealing {
  #case: OwnCase | null = null;
  /** What the service holds, by what was sealed: a second try sends only what is missing. */
  readonly #held = new Map<string, Uploaded>();

  /** The key is made and sealed at once: keys that it cannot be sealed to show before anybody writes. */
  async makeWords(holders: Holders): Promise<string> {
    const words = newWords();
    const keys = await wordKeys(words);
    const key = await newCaseKey(keys);
    this.#case = { lookupHash: keys.lookupHash, key, sealedKey: await sealCaseKey(key, holders) };
    return words;
  }

  check(form: InquiryForm): readonly FormFault[] {
    const read = readForm(form);
    return 'faults' in read ? read.faults : [];
  }

  async send(form: InquiryForm, progress: Progress): Promise<SentInquiry> {
    const read = readForm(form);
    if ('faults' in read) throw new Fault({ code: 'invalid', sentence: 'Check what you wrote.' });
    try {
      return await this.#sendChecked(form, read.inquiry, progress);
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'upload_incomplete')) throw error;
      // The service no longer has what it held, as after a page was left open for a day.
      this.#held.clear();
      return await this.#sendChecked(form, read.inquiry, progress);
    }
  }

  async #sendChecked(form: InquiryForm, inquiry: Inquiry, progress: Progress): Promise<SentInquiry> {
    if (!this.#case) throw new Error('a case needs its words first');
    const { lookupHash, key, sealedKey } = this.#case;
    const fields = new Map(form.fields);
    const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
    const arrived = meter(envelope.length + expectedBytes(key, form.files), progress);
    const shipment = { key, token: fields.get('token') ?? '', arrived };
    const asEvidence = isTicked(fields, 'keep_evidence');
    const files: Uploaded[] = [];
    for (const [seq, file] of form.files.entries())
      files.push(await this.#sendFile(shipment, file, { seq, asEvidence }));
    const { headers, ...request } = jsonOf({
      lookup_hash: lookupHash,
      case_key: base64urlnopad.encode(sealedKey),
      inquiry: await this.#sendEnvelope(shipment, inquiry, envelope),
      files,
      keep_days: Number(fields.get('keep_days')),
      terms_version: fields.get('terms_version'),
    });
    const allowed = { ...headers, 'x-form-token': shipment.token };
    const answer = await askUntilAnswered('/inquiry/sealed', { ...request, headers: allowed });
    return (await answer.json()) as SentInquiry;
  }

  async #sendFile(
    shipment: Shipment,
    file: File,
    { seq, asEvidence }: { seq: number; asEvidence: boolean },
  ): Promise<Uploaded> {
    const { name, type, size, lastModified } = file;
    const place = fileAt(seq);
    const expected = sealedFileSize(shipment.key, place, { name, mime: type }, size);
    const sameFile = JSON.stringify([seq, asEvidence, name, type, size, lastModified]);
    try {
      return await this.#once(sameFile, expected, shipment, async () => {
        const content = asEvidence ? file.stream() : (await stripImageMetadata(file.stream())).content;
        return await sealFile(shipment.key, place, { name, mime: type, content, maxBytes: MAX_FILE_BYTES });
      });
    } catch (error) {
      throw asFaultOfFile(error, name);
    }
  }

  async #sendEnvelope(shipment: Shipment, inquiry: Inquiry, envelope: Uint8Array): Promise<Uploaded> {
    const whole = async () => new Blob([envelope as BlobPart]).stream();
    return await this.#once(JSON.stringify(inquiry), envelope.length, shipment, whole);
  }

  async #once(
    what: string,
    expected: number,
    { token, arrived }: Shipment,
    seal: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<Uploaded> {
    const held = this.#held.get(what);
    const uploaded = held ?? (await upload(await seal(), { token, arrived }));
    this.#held.set(what, uploaded);
    // A picture without its hidden data is shorter than was expected.
    arrived(expected - (held ? 0 : uploaded.size));
    return uploaded;
  }
}

function readForm(form: InquiryForm): { inquiry: Inquiry } | { faults: readonly FormFault[] } {
  const fields = new Map(form.fields);
  const files = form.files.map(({ name, type, size }) => ({ name, mime: type, size }));
  const { paymentRef, includesCall } = form;
  const checked = validateInquiry(inquiryFromForm(fields, { paymentRef, files }), { includesCall });
  const faults = 'errors' in checked ? formFaults(checked.errors, fields) : [];
  if (!isTicked(fields, 'words_kept')) faults.push(wordsNotKept);
  return 'inquiry' in checked && faults.length === 0 ? checked : { faults: inFormOrder(faults) };
}

function fileAt(seq: number): Place {
  return { kind: 'inquiry-file.v1', seq };
}

function expectedBytes(key: CaseKey, files: readonly File[]): number {
  const sizes = files.map(({ name, type, size }, seq) =>
    sealedFileSize(key, fileAt(seq), { name, mime: type }, size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function meter(total: number, progress: Progress): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    progress(Math.min(1, done / total));
  };
}
