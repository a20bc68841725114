/** The age format restricted to post-quantum keys, so that a future quantum computer cannot open old files. */
import { bech32 } from '@scure/base';
import type { Decrypter, Encrypter } from './age-library.ts';
import { hasPrefix } from './bytes.ts';
import { SealError } from './seal-error.ts';

export const RECIPIENT_PREFIX = 'age1pq';
/** An ML-KEM-768 public key followed by an X25519 public key. */
export const RECIPIENT_BYTES = 1216;
export const IDENTITY_PREFIX = 'AGE-SECRET-KEY-PQ-';
export const IDENTITY_SEED_BYTES = 32;

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** Version line, MAC line and payload nonce. */
const FIXED_BYTES = 22 + 48 + 16;
/** Added to the header for each recipient. */
const STANZA_BYTES = 1557;

/** Private key, `AGE-SECRET-KEY-PQ-1…`. */
export type AgeIdentity = string;
/** Public key, `age1pq1…`. */
export type AgeRecipient = string;

function loadAge() {
  return import('./age-library.ts');
}

export async function sealBytes(plain: Uint8Array, recipients: readonly AgeRecipient[]): Promise<Uint8Array> {
  return await (await createEncrypter(recipients)).encrypt(plain);
}

export async function sealStream(
  plain: ReadableStream<Uint8Array>,
  recipients: readonly AgeRecipient[],
): Promise<ReadableStream<Uint8Array>> {
  return await (await createEncrypter(recipients)).encrypt(plain);
}

export async function openSealedBytes(sealed: Uint8Array, identity: AgeIdentity): Promise<Uint8Array> {
  return await (await createDecrypter(identity)).decrypt(sealed).catch(rethrowAsSealError);
}

/** Checks the header before returning; a fault found later errors the stream. */
export async function openSealedStream(
  sealed: ReadableStream<Uint8Array>,
  identity: AgeIdentity,
): Promise<ReadableStream<Uint8Array>> {
  return await (await createDecrypter(identity)).decrypt(sealed).catch(rethrowAsSealError);
}

export function computeSealedSize(plainBytes: number, recipients = 1): number {
  const chunks = Math.max(1, Math.ceil(plainBytes / CHUNK_BYTES));
  return FIXED_BYTES + STANZA_BYTES * recipients + plainBytes + TAG_BYTES * chunks;
}

/** The inverse of `computeSealedSize`; null if no plain size yields this sealed size. */
export function computePlainSize(sealedBytes: number, recipients = 1): number | null {
  const body = sealedBytes - FIXED_BYTES - STANZA_BYTES * recipients;
  const plainBytes = body - TAG_BYTES * Math.ceil(body / (CHUNK_BYTES + TAG_BYTES));
  return plainBytes >= 0 && computeSealedSize(plainBytes, recipients) === sealedBytes ? plainBytes : null;
}

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const [VERSION_LINE, STANZA_LINE, HYBRID_STANZA, LAST_LINE] = [
  'age-encryption.org/v1\n',
  '-> ',
  '-> mlkem768x25519 ',
  '--- ',
].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];

/** Null unless this is an age file for post-quantum recipients only. Works on bytes because decoding lines is slow. */
export function countRecipients(sealed: Uint8Array): number | null {
  if (!hasPrefix(sealed, VERSION_LINE, 0)) return null;
  let recipients = 0;
  let at = VERSION_LINE.length;
  for (let end: number; !hasPrefix(sealed, LAST_LINE, at); at = end + 1) {
    end = sealed.indexOf(LINE_END, at);
    if (end <= at) return null;
    if (!hasPrefix(sealed, STANZA_LINE, at)) continue;
    if (!hasPrefix(sealed, HYBRID_STANZA, at)) return null;
    recipients += 1;
  }
  // Some parsers might treat a carriage return as the end of a line, and what follows as a recipient.
  const carriageReturn = sealed.indexOf(CARRIAGE_RETURN);
  return recipients === 0 || (carriageReturn >= 0 && carriageReturn < at) ? null : recipients;
}

export async function generateAgeIdentity(): Promise<AgeIdentity> {
  return await (await loadAge()).generateHybridIdentity();
}

export async function deriveRecipient(identity: AgeIdentity): Promise<AgeRecipient> {
  requireIdentity(identity);
  return await (await loadAge()).identityToRecipient(identity);
}

export function encodeIdentity(seed: Uint8Array): AgeIdentity {
  if (seed.length !== IDENTITY_SEED_BYTES) throw new SealError('identity_refused');
  return bech32.encodeFromBytes(IDENTITY_PREFIX, seed).toUpperCase();
}

export function decodeIdentity(identity: AgeIdentity): Uint8Array {
  requireIdentity(identity);
  return bech32.decodeToBytes(identity).bytes;
}

export function isAgeIdentity(text: string): text is AgeIdentity {
  return computeDecodedLength(text, IDENTITY_PREFIX) === IDENTITY_SEED_BYTES;
}

export function isAgeRecipient(text: string): text is AgeRecipient {
  return computeDecodedLength(text, RECIPIENT_PREFIX) === RECIPIENT_BYTES;
}

/** Null unless the text is valid bech32 with exactly this prefix, in the letter case that age uses. */
function computeDecodedLength(text: string, prefix: string): number | null {
  if (!text.startsWith(`${prefix}1`)) return null;
  try {
    const decoded = bech32.decode(text as `${string}1${string}`, false);
    return decoded.prefix === prefix.toLowerCase() ? bech32.fromWords(decoded.words).length : null;
  } catch {
    return null;
  }
}

/** The library accepts any mix of keys, but one classical key would expose the file to a quantum computer. */
async function createEncrypter(recipients: readonly AgeRecipient[]): Promise<Encrypter> {
  if (recipients.length === 0 || !recipients.every(isAgeRecipient)) throw new SealError('recipient_refused');
  const age = await loadAge();
  const encrypter = new age.Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter;
}

async function createDecrypter(identity: AgeIdentity): Promise<Decrypter> {
  requireIdentity(identity);
  const age = await loadAge();
  const decrypter = new age.Decrypter();
  decrypter.addIdentity(identity);
  return decrypter;
}

function requireIdentity(identity: AgeIdentity): void {
  if (!isAgeIdentity(identity)) throw new SealError('identity_refused');
}

function rethrowAsSealError(error: unknown): never {
  throw toSealError(error);
}

/** The library's errors differ only in their text. */
export function toSealError(error: unknown): SealError {
  if (error instanceof SealError) return error;
  const text = error instanceof Error ? error.message : '';
  if (text.startsWith('no identity matched')) return new SealError('wrong_key', undefined, error);
  if (text.startsWith('stream ended before')) return new SealError('truncated', undefined, error);
  return new SealError('tampered', undefined, error);
}
