/** A buyer with scripts: seals inquiry and files as the browser does, uploads the pieces and opens the case. */

import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { generateId } from '#platform/text/ids.ts';
import { type CaseKey, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords, type WordKeys } from '#seal/core/words.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';
import type { Services } from '#services.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import type { TestShop } from '#test/test-shop.ts';
import { type FormFile, type PlainForm, sameOriginHeaders } from './plain-form.ts';

export interface SealedUpload {
  readonly upload: string;
  readonly bytes: Uint8Array;
}

export interface SealedForm {
  readonly words: string;
  readonly keys: WordKeys;
  readonly key: CaseKey;
  readonly caseKey: Uint8Array;
  readonly recipientSet: string;
  readonly inquiry: SealedUpload;
  readonly files: readonly SealedUpload[];
}

interface WithSealingKeys {
  readonly services: Pick<Services, 'sealingKeys'>;
}

type Getting = Pick<TestShop, 'get'>;

export const letterFile = {
  name: 'letter.txt',
  type: 'text/plain',
  content: new TextEncoder().encode('Dear you'),
};
export const largeFile = { name: 'large.bin', content: new Uint8Array(900_000).fill(7) };

export const recruiterInquiry = {
  alias: 'Robin',
  question: 'Is this recruiter who she says she is? CANARY-QUESTION',
  subject: 'A recruiter CANARY-SUBJECT',
  identifiers: ['+44 20 7946 0000'],
  background: '',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  contact: { mode: 'return_only', value: '', safe_times: '' },
  call_windows: [],
  lawful_purpose: true,
} satisfies Partial<Inquiry>;

export async function sealInquiryForm(
  { services }: WithSealingKeys,
  { paymentRef }: Pick<PlainForm, 'paymentRef'>,
  files: readonly FormFile[] = [],
): Promise<SealedForm> {
  const words = generateWords();
  const keys = await deriveWordKeys(words);
  const key = await generateCaseKey(keys);
  const facts = files.map(({ name, type = 'application/octet-stream', content }) => ({
    name,
    mime: type,
    size: content.length,
    kept_as_evidence: false,
  }));
  const sealingKeys = await services.sealingKeys;
  const inquiry = { ...recruiterInquiry, payment_ref: paymentRef, files: facts };
  return {
    words,
    keys,
    key,
    caseKey: await sealCaseKey(key, sealingKeys),
    recipientSet: sealingKeys.set,
    inquiry: createSealedUpload(await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry)),
    files: await Promise.all(
      files.map(async (file, seq) => createSealedUpload(await sealInquiryFile(key, seq, file))),
    ),
  };
}

async function sealInquiryFile(
  key: CaseKey,
  seq: number,
  { name, type = 'application/octet-stream', content }: FormFile,
): Promise<Uint8Array> {
  const file = {
    name,
    mime: type,
    content: ReadableStream.from([content]),
    maxBytes: MAX_INQUIRY_FILE_BYTES,
  };
  const sealed = await sealFile(key, { kind: 'inquiry-file.v1', seq }, file);
  return Buffer.concat(await Array.fromAsync(sealed));
}

export function createSealedUpload(bytes: Uint8Array): SealedUpload {
  return { upload: generateId(), bytes };
}

export function splitIntoPieces({ bytes }: SealedUpload): Uint8Array[] {
  const count = Math.ceil(bytes.length / MAX_STORED_PIECE_BYTES);
  return Array.from({ length: count }, (_none, piece) =>
    bytes.subarray(piece * MAX_STORED_PIECE_BYTES, (piece + 1) * MAX_STORED_PIECE_BYTES),
  );
}

/** Headers that the form's script sends with every request. */
export function buildFormHeaders({
  cookie,
  token,
}: Pick<PlainForm, 'cookie' | 'token'>): Record<string, string> {
  return { ...sameOriginHeaders, accept: 'application/json', cookie, 'x-form-token': token };
}

export async function putUploadPiece(
  { get }: Getting,
  form: Pick<PlainForm, 'cookie' | 'token'>,
  place: { readonly upload: string; readonly piece: number | string },
  body: Uint8Array,
): Promise<HttpsResponse> {
  const headers = { ...buildFormHeaders(form), 'content-type': 'application/octet-stream' };
  return await get(`/inquiry/uploads/${place.upload}/${place.piece}`, { method: 'PUT', headers, body });
}

export async function uploadSealedPieces(
  shop: Getting,
  form: Pick<PlainForm, 'cookie' | 'token'>,
  things: readonly SealedUpload[],
): Promise<void> {
  for (const one of things)
    for (const [piece, bytes] of splitIntoPieces(one).entries()) {
      const { status, text } = await putUploadPiece(shop, form, { upload: one.upload, piece }, bytes);
      if (status !== 204) throw new Error(`piece ${piece}: ${status} ${text}`);
    }
}

export function toOpeningBody({ keys, caseKey, recipientSet, inquiry, files }: SealedForm) {
  return {
    lookup_hash: keys.lookupHash,
    case_key: Buffer.from(caseKey).toString('base64url'),
    sealing_set: recipientSet,
    inquiry: toUploadReference(inquiry),
    files: files.map(toUploadReference),
    keep_days: DEFAULT_KEEP_DAYS,
    terms_version: CURRENT_TERMS,
  };
}

export function toUploadReference({ upload: id, bytes }: SealedUpload) {
  return { upload: id, size: bytes.length };
}

export async function postOpening(
  { get }: Getting,
  form: Pick<PlainForm, 'cookie' | 'token'>,
  opening: unknown,
): Promise<HttpsResponse> {
  const headers = { ...buildFormHeaders(form), 'content-type': 'application/json' };
  return await get('/inquiry/sealed', { method: 'POST', headers, body: JSON.stringify(opening) });
}

export async function sendSealedForm(
  shop: Getting,
  form: PlainForm,
  sealed: SealedForm,
): Promise<HttpsResponse> {
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  return await postOpening(shop, form, toOpeningBody(sealed));
}

/** Formats status and problem code of a response as one text. */
export async function formatStatusAndCode(request: Promise<HttpsResponse>): Promise<string> {
  const { status, json } = await request;
  return [status, json['code']].join(' ').trim();
}
