/** The twelve words a buyer keeps: 128 random bits, from which the buyer's key and the lookup token are derived. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { generateMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { type Identity, identityFromSeed, type Recipient, recipientOf, SEED_BYTES } from './age.ts';
import { utf8 } from './bytes.ts';
import { SealError } from './seal-error.ts';

const COUNT = 12;
const TOKEN_BYTES = 32;

/** Part of every derivation: a change would lock every buyer out. */
const SALT = utf8('inquiry-office/words/v1');
const IDENTITY_INFO = utf8('age identity');
const TOKEN_INFO = utf8('lookup token');

/** Said wherever words are asked for, so that a wrong word and an unknown case sound the same. */
export const NO_CASE = 'No case opens with these words. Check each of them, and their order';

const known = new Set(wordlist);

export interface WordKeys {
  /** Opens the case key; never leaves the buyer's side. */
  readonly identity: Identity;
  readonly recipient: Recipient;
  /** Shown to the service to find the case. */
  readonly lookupToken: string;
  /** What the service keeps of the token: it finds a case, but nobody can ask with it. */
  readonly lookupHash: string;
}

/** Twelve new words, with one blank between them. */
export function newWords(): string {
  return generateMnemonic(wordlist, 128);
}

/** The words as `newWords` wrote them, however they were copied: capitals, lines, commas, numbers before them. */
export function parseWords(text: string): string {
  const visible = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const words: readonly string[] = visible.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? [];
  refuseUnknown(words);
  if (words.length !== COUNT) throw new SealError('words_count', countSentence(words.length));
  const joined = words.join(' ');
  entropyOf(joined);
  return joined;
}

export async function wordKeys(words: string): Promise<WordKeys> {
  const entropy = entropyOf(parseWords(words));
  const identity = identityFromSeed(hkdf(sha256, entropy, SALT, IDENTITY_INFO, SEED_BYTES));
  const token = hkdf(sha256, entropy, SALT, TOKEN_INFO, TOKEN_BYTES);
  return {
    identity,
    recipient: await recipientOf(identity),
    lookupToken: base64urlnopad.encode(token),
    lookupHash: base64urlnopad.encode(sha256(token)),
  };
}

export function lookupHashOf(lookupToken: string): string {
  return base64urlnopad.encode(sha256(tokenBytes(lookupToken)));
}

function tokenBytes(lookupToken: string): Uint8Array {
  try {
    const bytes = base64urlnopad.decode(lookupToken);
    if (bytes.length === TOKEN_BYTES) return bytes;
  } catch {
    // Falls through to the same refusal.
  }
  throw new SealError('token_malformed');
}

/** By their places: the sentence may travel, and twelve words without a blank between them would travel with it. */
function refuseUnknown(words: readonly string[]): void {
  const unknown = words.flatMap((word, index) => (known.has(word) ? [] : [`word ${index + 1}`]));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, COUNT).join(', ');
  throw new SealError(
    'words_unknown',
    `Not in the list: ${named}. Check the spelling: each word is plain English and has three to eight letters.`,
  );
}

function countSentence(count: number): string {
  if (count === 0) return 'Enter the twelve words of your case.';
  return `You entered ${count} ${count === 1 ? 'word' : 'words'}; there are twelve. Enter all of them, in their order.`;
}

/** Every word is known here, so what remains is the checksum in the last one. */
function entropyOf(words: string): Uint8Array {
  try {
    return mnemonicToEntropy(words, wordlist);
  } catch {
    // The library's message names words, and a cause may be logged.
    throw new SealError('words_checksum');
  }
}
