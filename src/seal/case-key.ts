/** The key of one case: made where the inquiry is sealed, opened by the desk, the recovery key or the buyer's words. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  type Identity,
  isRecipient,
  newIdentity,
  open,
  type Recipient,
  recipientOf,
  seal,
  seedOf,
} from './age.ts';
import { fromUtf8, utf8 } from './bytes.ts';
import { checkHeader, type Header, headerLine } from './header.ts';
import { SealError } from './seal-error.ts';
import type { WordKeys } from './words.ts';

/** Part of the derivation: a change would make every case unreadable. */
const SALT = utf8('inquiry-office/case/v1');
const MAC_INFO = utf8('mac');
export const MAC_BYTES = 32;

export interface CaseKey {
  /** The lookup hash, which names the case in every header. */
  readonly case: string;
  readonly identity: Identity;
  /** Derived from the identity whenever the key is opened: a record could name somebody else's. */
  readonly recipient: Recipient;
  /** The buyer's recipient, kept inside so that the desk can seal the key again without the words. */
  readonly words: Recipient;
}

export interface CaseKeyHolders {
  readonly desk: readonly Recipient[];
  readonly recovery: Recipient;
}

export async function newCaseKey(words: Pick<WordKeys, 'lookupHash' | 'recipient'>): Promise<CaseKey> {
  return await caseKeyOf(await newIdentity(), words.lookupHash, words.recipient);
}

/** Also seals an opened key again, when an investigator joins or leaves. */
export async function sealCaseKey(key: CaseKey, holders: CaseKeyHolders): Promise<Uint8Array> {
  if (holders.desk.length === 0) throw new SealError('recipient_refused');
  // To age an identity file with two comments: an operator needs nothing but age to recover a case.
  const text = `# ${headerLine(headerOf(key.case))}\n# ${key.words}\n${key.identity}\n`;
  return await seal(utf8(text), [...holders.desk, holders.recovery, key.words]);
}

/** `identity` is that of an investigator, of the recovery key or of the buyer's words. */
export async function openCaseKey(
  sealed: Uint8Array,
  identity: Identity,
  lookupHash: string,
): Promise<CaseKey> {
  const [header, words, found, ...rest] = textOf(await open(sealed, identity)).split('\n');
  checkHeader(uncommented(header), headerOf(lookupHash));
  const recipient = uncommented(words);
  if (!isRecipient(recipient) || found === undefined || rest.join() !== '') throw new SealError('tampered');
  return await caseKeyOf(found, lookupHash, recipient);
}

/** Authenticates what the holders of the case key write: the service knows the recipient, but not this key. */
export function caseMac(key: Pick<CaseKey, 'identity'>): ReturnType<typeof hmac.create> {
  return hmac.create(sha256, hkdf(sha256, seedOf(key.identity), SALT, MAC_INFO, MAC_BYTES));
}

async function caseKeyOf(identity: Identity, lookupHash: string, words: Recipient): Promise<CaseKey> {
  return { case: lookupHash, identity, recipient: await recipientOf(identity), words };
}

function headerOf(lookupHash: string): Header {
  return { kind: 'case-key.v1', case: lookupHash, seq: 0 };
}

function uncommented(line = ''): string {
  if (!line.startsWith('# ')) throw new SealError('tampered');
  return line.slice(2);
}

function textOf(plain: Uint8Array): string {
  try {
    return fromUtf8(plain);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}
