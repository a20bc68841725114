/** The worker of pages that send: holds the keys and does all sealing, so that the page stays small and responsive. */

import { base64urlnopad } from '@scure/base';
import { type FilesToInspect, inspectFiles } from '#browser/files/inspect-files.ts';
import { type InquiryFormInput, InquirySealer, type WordsInput } from '#browser/inquiry/seal-inquiry.ts';
import type { FormEntry, ProgressCallback } from '#browser/rpc/jobs.ts';
import { createJsonRequest, sendRequest } from '#browser/rpc/service-requests.ts';
import { serveJobs } from '#browser/rpc/worker-end.ts';
import { sealContactMessage, validateContactMessage } from '#seal/case/contact-message.ts';
import { createByteReader, READ_CHUNK_BYTES } from '#seal/core/byte-stream.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import type { FormFault } from '#seal/form/form-fields.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';
import { CONTACT_FIELDS, SEALED_CONTACT_PATH } from '#wire/contact-page.ts';
import type { SealedContactRequest } from '#wire/contact-requests.ts';
import { deriveEnteredWordLookup, type EnteredWords } from './word-keys.ts';

const FIELD_NAMES: readonly string[] = CONTACT_FIELDS;

const place: SealedPlace = { kind: 'inquiry.v1', seq: 0 };

const sealer = new InquirySealer();

const jobs = {
  /** Generates the words, unless a draft has them, and the key of the new case. */
  words: async (holders: WordsInput) => await sealer.generateWordsAndKey(holders),
  inspect: async (files: FilesToInspect) => await inspectFiles(files),
  check: (form: InquiryFormInput) => sealer.checkForm(form),
  send: async (form: InquiryFormInput, progress: ProgressCallback) =>
    await sealer.sendInquiry(form, progress),
  /** Returns the lookup token, which finds the case but opens nothing. */
  lookup: ({ words }: EnteredWords) => deriveEnteredWordLookup(words).lookupToken,
  /** If there are faults, nothing was sent. */
  contact: async (form: ContactFormInput) => await sendContactMessage(form),
};
export type SealerJobs = typeof jobs;

serveJobs(selfTestSealing, jobs);

/** Runs at the start, while the form can still be sent without a script. */
async function selfTestSealing(): Promise<void> {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  validateInquiry(await openEnvelope(key, place, await sealEnvelope(key, place, {})), { includesCall: true });
  const { content } = await stripImageMetadata(new Blob([]).stream());
  const sealed = createByteReader(await sealFile(key, place, { name: '', mime: '', content, maxBytes: 0 }));
  while ((await sealed.readSome(READ_CHUNK_BYTES)) !== null);
}

interface ContactFormInput {
  readonly fields: readonly FormEntry[];
  readonly desk: readonly string[];
  readonly recipientSet: string;
}

async function sendContactMessage({
  fields,
  desk,
  recipientSet,
}: ContactFormInput): Promise<readonly FormFault[]> {
  const entries = fields.filter(([name]) => FIELD_NAMES.includes(name));
  const checked = validateContactMessage(Object.fromEntries(entries));
  if ('errors' in checked)
    return checked.errors.map(({ pointer, said }) => ({ field: pointer.slice(1), message: said }));
  const sealed = await sealContactMessage(checked.message, desk);
  await sendRequest(
    SEALED_CONTACT_PATH,
    createJsonRequest({
      sealed: base64urlnopad.encode(sealed),
      sealing_set: recipientSet,
    } satisfies SealedContactRequest),
  );
  return [];
}
