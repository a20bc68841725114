/** The age format, narrowed to post-quantum keys: what is sealed here stays sealed when quantum computers come. */
import { bech32 } from '@scure/base';
import { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'age-encryption';
import { SealError } from './seal-error.ts';

const RECIPIENT_PREFIX = 'age1pq';
/** An ML-KEM-768 public key and an X25519 one. */
const RECIPIENT_BYTES = 1216;
const IDENTITY_PREFIX = 'AGE-SECRET-KEY-PQ-';
export const SEED_BYTES = 32;

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** Version line, MAC line and payload nonce, then what each recipient adds to the header. */
const FILE_BYTES = 22 + 48 + 16;
const STANZA_BYTES = 1557;

/** `AGE-SECRET-KEY-PQ-1…`: opens what was sealed to its recipient. */
export type Identity = string;
/** `age1pq1…`: whatever is sealed to it, only its identity opens. */
export type Recipient = string;

export async function seal(plain: Uint8Array, recipients: readonly Recipient[]): Promise<Uint8Array> {
  return await encrypterFor(recipients).encrypt(plain);
}

export async function sealStream(
  plain: ReadableStream<Uint8Array>,
  recipients: readonly Recipient[],
): Promise<ReadableStream<Uint8Array>> {
  return await encrypterFor(recipients).encrypt(plain);
}

export async function open(sealed: Uint8Array, identity: Identity): Promise<Uint8Array> {
  try {
    return await decrypterFor(identity).decrypt(sealed);
  } catch (error) {
    throw sealErrorOf(error);
  }
}

/** The header is checked before this returns; a later fault is an error of the stream. */
export async function openStream(
  sealed: ReadableStream<Uint8Array>,
  identity: Identity,
): Promise<ReadableStream<Uint8Array>> {
  try {
    return await decrypterFor(identity).decrypt(sealed);
  } catch (error) {
    throw sealErrorOf(error);
  }
}

/** How many bytes `plainBytes` become when sealed. */
export function sealedSize(plainBytes: number, recipients = 1): number {
  const chunks = Math.max(1, Math.ceil(plainBytes / CHUNK_BYTES));
  return FILE_BYTES + STANZA_BYTES * recipients + plainBytes + TAG_BYTES * chunks;
}

/** The reverse: null where nothing becomes so many bytes when sealed. */
export function plainSize(sealedBytes: number, recipients = 1): number | null {
  const body = sealedBytes - FILE_BYTES - STANZA_BYTES * recipients;
  const plainBytes = body - TAG_BYTES * Math.ceil(body / (CHUNK_BYTES + TAG_BYTES));
  return plainBytes >= 0 && sealedSize(plainBytes, recipients) === sealedBytes ? plainBytes : null;
}

const VERSION_LINE = 'age-encryption.org/v1\n';
const STANZA = 'mlkem768x25519';

/** To how many post-quantum recipients something is sealed, told by its header alone; null where it is not sealed so. */
export function recipientsIn(sealed: Uint8Array): number | null {
  const text = new TextDecoder('latin1').decode(sealed);
  const end = text.indexOf('\n--- ');
  if (!text.startsWith(VERSION_LINE) || end < 0) return null;
  const kinds = [...text.slice(0, end).matchAll(/^-> (\S+)/gm)].map(([, kind]) => kind);
  return kinds.length > 0 && kinds.every((kind) => kind === STANZA) ? kinds.length : null;
}

export async function newIdentity(): Promise<Identity> {
  return await generateHybridIdentity();
}

export async function recipientOf(identity: Identity): Promise<Recipient> {
  demandIdentity(identity);
  return await identityToRecipient(identity);
}

export function identityFromSeed(seed: Uint8Array): Identity {
  if (seed.length !== SEED_BYTES) throw new SealError('identity_refused');
  return bech32.encodeFromBytes(IDENTITY_PREFIX, seed).toUpperCase();
}

export function seedOf(identity: Identity): Uint8Array {
  demandIdentity(identity);
  return bech32.decodeToBytes(identity).bytes;
}

export function isIdentity(text: string): text is Identity {
  return decodedLength(text, IDENTITY_PREFIX) === SEED_BYTES;
}

export function isRecipient(text: string): text is Recipient {
  return decodedLength(text, RECIPIENT_PREFIX) === RECIPIENT_BYTES;
}

/** Null for anything but well-formed bech32 with exactly this prefix, written as age writes it. */
function decodedLength(text: string, prefix: string): number | null {
  if (!text.startsWith(`${prefix}1`)) return null;
  try {
    const decoded = bech32.decode(text as `${string}1${string}`, false);
    return decoded.prefix === prefix.toLowerCase() ? bech32.fromWords(decoded.words).length : null;
  } catch {
    return null;
  }
}

/** The library would take any mix of keys; a single classical one would open the file to a quantum computer. */
function encrypterFor(recipients: readonly Recipient[]): Encrypter {
  if (recipients.length === 0 || !recipients.every(isRecipient)) throw new SealError('recipient_refused');
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter;
}

function decrypterFor(identity: Identity): Decrypter {
  demandIdentity(identity);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter;
}

function demandIdentity(identity: Identity): void {
  if (!isIdentity(identity)) throw new SealError('identity_refused');
}

/** The library tells its errors apart by their text alone. */
export function sealErrorOf(error: unknown): SealError {
  if (error instanceof SealError) return error;
  const text = error instanceof Error ? error.message : '';
  if (text.startsWith('no identity matched')) return new SealError('wrong_key', undefined, error);
  if (text.startsWith('stream ended before')) return new SealError('truncated', undefined, error);
  return new SealError('tampered', undefined, error);
}
