/** The twelve words a buyer keeps: 128 random bits, from which the buyer's key and the lookup token are derived. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { generateMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import {
  type AgeIdentity,
  type AgeRecipient,
  deriveRecipient,
  encodeIdentity,
  IDENTITY_SEED_BYTES,
} from './age.ts';
import { encodeUtf8 } from './bytes.ts';
import { SealError } from './seal-error.ts';

const COUNT = 12;
const TOKEN_BYTES = 32;

/** Part of every derivation: a change would lock every buyer out. */
const SALT = encodeUtf8('inquiry-office/words/v1');
const IDENTITY_INFO = encodeUtf8('age identity');
const TOKEN_INFO = encodeUtf8('lookup token');

/** Said wherever words are asked for, so that a wrong word and an unknown case sound the same. */
export const NO_CASE_FOR_WORDS = 'No case opens with these words. Check each of them, and their order';

const known = new Set(wordlist);

export interface WordKeys {
  /** Opens the case key; never leaves the buyer's side. */
  readonly identity: AgeIdentity;
  readonly recipient: AgeRecipient;
  /** Shown to the service to find the case. */
  readonly lookupToken: string;
  /** What the service keeps of the token: it finds a case, but nobody can ask with it. */
  readonly lookupHash: string;
}

/** Twelve new words, with one blank between them. */
export function generateWords(): string {
  return generateMnemonic(wordlist, 128);
}

/** The words as `newWords` wrote them, however they were copied: capitals, lines, commas, numbers before them. */
export function parseWords(text: string): string {
  const visible = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const words: readonly string[] = visible.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? [];
  requireKnownWords(words);
  if (words.length !== COUNT) throw new SealError('words_count', formatWordCountError(words.length));
  const joined = words.join(' ');
  decodeEntropy(joined);
  return joined;
}

export async function deriveWordKeys(words: string): Promise<WordKeys> {
  const entropy = decodeEntropy(parseWords(words));
  const identity = encodeIdentity(hkdf(sha256, entropy, SALT, IDENTITY_INFO, IDENTITY_SEED_BYTES));
  const token = hkdf(sha256, entropy, SALT, TOKEN_INFO, TOKEN_BYTES);
  return {
    identity,
    recipient: await deriveRecipient(identity),
    lookupToken: base64urlnopad.encode(token),
    lookupHash: base64urlnopad.encode(sha256(token)),
  };
}

export function computeLookupHash(lookupToken: string): string {
  return base64urlnopad.encode(sha256(decodeLookupToken(lookupToken)));
}

function decodeLookupToken(lookupToken: string): Uint8Array {
  try {
    const bytes = base64urlnopad.decode(lookupToken);
    if (bytes.length === TOKEN_BYTES) return bytes;
  } catch {
    // Falls through to the same refusal.
  }
  throw new SealError('token_malformed');
}

/** By their places: the sentence may travel, and twelve words without a blank between them would travel with it. */
function requireKnownWords(words: readonly string[]): void {
  const unknown = words.flatMap((word, index) => (known.has(word) ? [] : [`word ${index + 1}`]));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, COUNT).join(', ');
  throw new SealError(
    'words_unknown',
    `Not in the list: ${named}. Check the spelling: each word is plain English and has three to eight letters.`,
  );
}

function formatWordCountError(count: number): string {
  if (count === 0) return 'Enter the twelve words of your case.';
  return `You entered ${count} ${count === 1 ? 'word' : 'words'}; there are twelve. Enter all of them, in their order.`;
}

/** Every word is known here, so what remains is the checksum in the last one. */
function decodeEntropy(words: string): Uint8Array {
  try {
    return mnemonicToEntropy(words, wordlist);
  } catch {
    // The library's message names words, and a cause may be logged.
    throw new SealError('words_checksum');
  }
}
