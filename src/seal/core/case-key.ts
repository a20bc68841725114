/** The key of one case: generated where the inquiry is sealed, opened by the desk, the recovery key or the words. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  type AgeIdentity,
  type AgeRecipient,
  decodeIdentity,
  deriveRecipient,
  generateAgeIdentity,
  isAgeRecipient,
  openSealedBytes,
  sealBytes,
} from './age.ts';
import { decodeUtf8OrNull, encodeUtf8 } from './bytes.ts';
import { checkHeader, type SealedHeader, serializeHeader } from './header.ts';
import { SealError } from './seal-error.ts';
import type { WordKeys } from './words.ts';

/** May never change, or every existing case would become unreadable. */
export const caseLabels = { salt: 'inquiry-office/case/v1', mac: 'mac' } as const;
const SALT = encodeUtf8(caseLabels.salt);
const MAC_INFO = encodeUtf8(caseLabels.mac);
export const CASE_MAC_BYTES = 32;
/** About 66 bits; with 15 digits, trying keys until one matches would be feasible. */
const FINGERPRINT_RANGE = 10n ** 20n;

export interface CaseKey {
  /** The lookup hash, which identifies the case in every header. */
  readonly case: string;
  readonly identity: AgeIdentity;
  /** Always derived from the identity: a stored recipient could be an intruder's. */
  readonly recipient: AgeRecipient;
  /** The buyer's recipient, included so that the desk can reseal the key without the words. */
  readonly words: AgeRecipient;
}

/** The keys, besides the words, that can open a case. */
export interface CaseKeyRecipients {
  readonly desk: readonly AgeRecipient[];
  readonly recovery: AgeRecipient;
}

export async function generateCaseKey(words: Pick<WordKeys, 'lookupHash' | 'recipient'>): Promise<CaseKey> {
  return await buildCaseKey(await generateAgeIdentity(), words.lookupHash, words.recipient);
}

/** Also used to reseal an opened key when an investigator joins or leaves. */
export async function sealCaseKey(key: CaseKey, holders: CaseKeyRecipients): Promise<Uint8Array> {
  if (holders.desk.length === 0) throw new SealError('recipient_refused');
  // age reads this as an identity file with two comments, so an operator can recover a case with age alone.
  const text = `# ${serializeHeader(toCaseKeyHeader(key.case))}\n# ${key.words}\n${key.identity}\n`;
  return await sealBytes(encodeUtf8(text), [...holders.desk, holders.recovery, key.words]);
}

/** `identity` belongs to an investigator, the recovery key or the buyer's words. */
export async function openCaseKey(
  sealed: Uint8Array,
  identity: AgeIdentity,
  lookupHash: string,
): Promise<CaseKey> {
  const text = decodeUtf8OrNull(await openSealedBytes(sealed, identity));
  if (text === null) throw new SealError('tampered');
  const [header, words, caseIdentity, ...rest] = text.split('\n');
  checkHeader(parseComment(header), toCaseKeyHeader(lookupHash));
  const recipient = parseComment(words);
  if (!isAgeRecipient(recipient) || caseIdentity === undefined || rest.join() !== '')
    throw new SealError('tampered');
  return await buildCaseKey(caseIdentity, lookupHash, recipient);
}

/** Proves that the author holds the case key: the service knows the recipient, but cannot derive this MAC key. */
export function createCaseMac(key: Pick<CaseKey, 'identity'>): ReturnType<typeof hmac.create> {
  return hmac.create(sha256, hkdf(sha256, decodeIdentity(key.identity), SALT, MAC_INFO, CASE_MAC_BYTES));
}

/** Four groups of five digits that buyer and desk can compare; not words, which could be mistaken for the twelve. */
export function computeKeyFingerprint(recipient: AgeRecipient): string {
  return formatKeyFingerprint(hashRecipient(recipient));
}

export function hashRecipient(recipient: AgeRecipient): Uint8Array {
  return sha256(encodeUtf8(recipient));
}

export function formatKeyFingerprint({ buffer, byteOffset }: Uint8Array): string {
  const view = new DataView(buffer, byteOffset);
  const digits = ((view.getBigUint64(0) << 64n) | view.getBigUint64(8)) % FINGERPRINT_RANGE;
  return `${digits}`.padStart(20, '0').replace(/\d{5}(?=\d)/g, '$& ');
}

async function buildCaseKey(
  identity: AgeIdentity,
  lookupHash: string,
  words: AgeRecipient,
): Promise<CaseKey> {
  return { case: lookupHash, identity, recipient: await deriveRecipient(identity), words };
}

function toCaseKeyHeader(lookupHash: string): SealedHeader {
  return { kind: 'case-key.v1', case: lookupHash, seq: 0 };
}

function parseComment(line = ''): string {
  if (!line.startsWith('# ')) throw new SealError('tampered');
  return line.slice(2);
}
