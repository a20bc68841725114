/** A buyer with a script: seals inquiry and files as the browser does, uploads the pieces and opens the case. */
import { newId } from '#platform/ids.ts';
import { type CaseKey, newCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { type Inquiry, MAX_FILE_BYTES } from '#seal/inquiry.ts';
import { sealFile } from '#seal/sealed-file.ts';
import { newWords, type WordKeys, wordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import { PIECE_BYTES } from '#store/objects.ts';
import type { Answer } from '#test/https-client.ts';
import type { Shop } from '#test/shop.ts';
import { fromOwnPage, type PlainForm, type SentFile } from './plain-form.ts';

export interface SealedThing {
  readonly upload: string;
  readonly bytes: Uint8Array;
}

export interface SealedForm {
  readonly words: string;
  readonly keys: WordKeys;
  readonly key: CaseKey;
  readonly caseKey: Uint8Array;
  readonly inquiry: SealedThing;
  readonly files: readonly SealedThing[];
}

interface Registered {
  readonly services: Pick<Services, 'sealingKeys'>;
}

type Getting = Pick<Shop, 'get'>;

export const letter = {
  name: 'letter.txt',
  type: 'text/plain',
  content: new TextEncoder().encode('Dear you'),
};
export const large = { name: 'large.bin', content: new Uint8Array(900_000).fill(7) };

export const told: Omit<Inquiry, 'payment_ref' | 'files'> = {
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
};

export async function sealedForm(
  { services }: Registered,
  { paymentRef }: Pick<PlainForm, 'paymentRef'>,
  files: readonly SentFile[] = [],
): Promise<SealedForm> {
  const words = newWords();
  const keys = await wordKeys(words);
  const key = await newCaseKey(keys);
  const facts = files.map(({ name, type = 'application/octet-stream', content }) => ({
    name,
    mime: type,
    size: content.length,
    kept_as_evidence: false,
  }));
  const inquiry: Inquiry = { ...told, payment_ref: paymentRef, files: facts };
  return {
    words,
    keys,
    key,
    caseKey: await sealCaseKey(key, await services.sealingKeys),
    inquiry: thing(await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry)),
    files: await Promise.all(files.map(async (file, seq) => thing(await sealedFile(key, seq, file)))),
  };
}

export async function sealedFile(
  key: CaseKey,
  seq: number,
  { name, type = 'application/octet-stream', content }: SentFile,
): Promise<Uint8Array> {
  const file = { name, mime: type, content: ReadableStream.from([content]), maxBytes: MAX_FILE_BYTES };
  const sealed = await sealFile(key, { kind: 'inquiry-file.v1', seq }, file);
  return Buffer.concat(await Array.fromAsync(sealed));
}

export function thing(bytes: Uint8Array): SealedThing {
  return { upload: newId(), bytes };
}

export function piecesOf({ bytes }: SealedThing): Uint8Array[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: count }, (_none, piece) =>
    bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES),
  );
}

/** What the script of the form sends with every request. */
export function ofForm({ cookie, token }: Pick<PlainForm, 'cookie' | 'token'>): Record<string, string> {
  return { ...fromOwnPage, accept: 'application/json', cookie, 'x-form-token': token };
}

export async function putPiece(
  { get }: Getting,
  form: Pick<PlainForm, 'cookie' | 'token'>,
  place: { readonly upload: string; readonly piece: number | string },
  body: Uint8Array,
): Promise<Answer> {
  const headers = { ...ofForm(form), 'content-type': 'application/octet-stream' };
  return await get(`/inquiry/uploads/${place.upload}/${place.piece}`, { method: 'PUT', headers, body });
}

export async function upload(
  shop: Getting,
  form: Pick<PlainForm, 'cookie' | 'token'>,
  things: readonly SealedThing[],
): Promise<void> {
  for (const one of things)
    for (const [piece, bytes] of piecesOf(one).entries()) {
      const { status, text } = await putPiece(shop, form, { upload: one.upload, piece }, bytes);
      if (status !== 204) throw new Error(`piece ${piece}: ${status} ${text}`);
    }
}

export function openingOf({ keys, caseKey, inquiry, files }: SealedForm) {
  return {
    lookup_hash: keys.lookupHash,
    case_key: Buffer.from(caseKey).toString('base64url'),
    inquiry: uploadOf(inquiry),
    files: files.map(uploadOf),
    keep_days: 30,
    terms_version: '2026-11',
  };
}

export function uploadOf({ upload: id, bytes }: SealedThing) {
  return { upload: id, size: bytes.length };
}

export async function open(
  { get }: Getting,
  form: Pick<PlainForm, 'cookie' | 'token'>,
  opening: unknown,
): Promise<Answer> {
  const headers = { ...ofForm(form), 'content-type': 'application/json' };
  return await get('/inquiry/sealed', { method: 'POST', headers, body: JSON.stringify(opening) });
}

export async function sendSealed(shop: Getting, form: PlainForm, sealed: SealedForm): Promise<Answer> {
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  return await open(shop, form, openingOf(sealed));
}

/** Status and problem of an answer, as one text. */
export async function codeOf(asked: Promise<Answer>): Promise<string> {
  const { status, json } = await asked;
  return [status, json['code']].join(' ').trim();
}
