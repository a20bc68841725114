/** The buyer's twelve words: 128 random bits from which the buyer's key and the lookup token are derived. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { entropyToMnemonic, generateMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import {
  type AgeIdentity,
  type AgeRecipient,
  deriveRecipient,
  encodeIdentity,
  IDENTITY_SEED_BYTES,
} from './age.ts';
import { encodeUtf8 } from './bytes.ts';
import { SealError, type SealErrorCode } from './seal-error.ts';
import { completeWord, isKnownWord } from './word-list.ts';

export const WORD_COUNT = 12;
/** Normalizing takes quadratic time: each combining mark in a run is sorted into its place. */
const MAX_TYPED_LENGTH = 4_000;
/** Checked after normalizing, which can turn one character into eighteen. Twelve numbered words take about 150. */
const MAX_LENGTH = 400;
export const LOOKUP_TOKEN_BYTES = 32;

/** May never change, or every existing case would become unreadable. */
export const wordsLabels = {
  salt: 'inquiry-office/words/v1',
  identity: 'age identity',
  lookupToken: 'lookup token',
} as const;
const SALT = encodeUtf8(wordsLabels.salt);
const IDENTITY_INFO = encodeUtf8(wordsLabels.identity);
const TOKEN_INFO = encodeUtf8(wordsLabels.lookupToken);

/** The values that find and open a case. */
export interface WordLookup {
  /** Opens the case key. */
  readonly identity: AgeIdentity;
  /** Sent to the service to find the case. */
  readonly lookupToken: string;
  /** The service stores only this hash: it identifies the case, but cannot be used as a token. */
  readonly lookupHash: string;
}

/** Adds the key that a new case is sealed to, which takes a hundred times as long to derive. */
export interface WordKeys extends WordLookup {
  readonly recipient: AgeRecipient;
}

/** Returns twelve words separated by single spaces. */
export function generateWords(): string {
  return generateMnemonic(wordlist, 128);
}

/** The words for 16 bytes, which must be random. */
export function encodeWords(entropy: Uint8Array): string {
  return entropyToMnemonic(entropy, wordlist);
}

/** Normalizes copied words: capitals, line breaks, commas, numbering and abbreviated words. */
export function parseWords(text: string): string {
  const words = splitWords(text);
  if (words === null) throw new WordsError('words_count', null, MORE_THAN_TWELVE);
  requireKnownWords(words);
  if (words.length !== WORD_COUNT)
    throw new WordsError('words_count', words, formatWordCountError(words.length));
  const joined = words.join(' ');
  decodeEntropy(joined);
  return joined;
}

/** Example words, including those in our own documents, encode one byte repeated sixteen times. */
export function areExampleWords(words: string): boolean {
  return new Set(decodeEntropy(parseWords(words))).size === 1;
}

/** Stores the typed words to explain the error to the person, in a private field because errors may be logged. */
export class WordsError extends SealError {
  readonly #words: readonly string[] | null;

  constructor(code: SealErrorCode, words: readonly string[] | null, sentence?: string) {
    super(code, sentence);
    this.#words = words;
  }

  /** The first thirteen; null for a text that is too long to be twelve words. */
  readTypedWords(): readonly string[] | null {
    return this.#words;
  }
}

/** With their positions, counted from one. */
export function listUnknownWords(words: readonly string[]) {
  return words.flatMap((word, index) => (isKnownWord(word) ? [] : [{ position: index + 1, word }]));
}

/** Null for a text that is too long to be twelve words. */
function splitWords(text: string): readonly string[] | null {
  if (text.length > MAX_TYPED_LENGTH) return null;
  const visible = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ');
  if (visible.length > MAX_LENGTH) return null;
  const words: readonly string[] = visible.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? [];
  return words.slice(0, WORD_COUNT + 1).map(completeWord);
}

export async function deriveWordKeys(words: string): Promise<WordKeys> {
  const lookup = deriveWordLookup(words);
  return { ...lookup, recipient: await deriveRecipient(lookup.identity) };
}

export function deriveWordLookup(words: string): WordLookup {
  const entropy = decodeEntropy(parseWords(words));
  const identity = encodeIdentity(hkdf(sha256, entropy, SALT, IDENTITY_INFO, IDENTITY_SEED_BYTES));
  const token = hkdf(sha256, entropy, SALT, TOKEN_INFO, LOOKUP_TOKEN_BYTES);
  return {
    identity,
    lookupToken: base64urlnopad.encode(token),
    lookupHash: base64urlnopad.encode(sha256(token)),
  };
}

export function computeLookupHash(lookupToken: string): string {
  return base64urlnopad.encode(sha256(decodeToken(lookupToken)));
}

function decodeToken(token: string): Uint8Array {
  try {
    const bytes = base64urlnopad.decode(token);
    if (bytes.length === LOOKUP_TOKEN_BYTES) return bytes;
  } catch {
    // The same error is thrown below.
  }
  throw new SealError('token_malformed');
}

/** Reports positions, not words: the message may be logged, and twelve words pasted without spaces count as one. */
function requireKnownWords(words: readonly string[]): void {
  const unknown = listUnknownWords(words);
  if (unknown.length === 0) return;
  const positions = unknown.slice(0, WORD_COUNT).map(({ position }) => `word ${position}`);
  throw new WordsError(
    'words_unknown',
    words,
    `Check ${positions.join(', ')}: ${positions.length === 1 ? 'it isn’t one' : 'they aren’t any'} of our words. Each is plain English and has three to eight letters.`,
  );
}

const MORE_THAN_TWELVE = 'These are more than twelve words.';

function formatWordCountError(count: number): string {
  if (count === 0) return 'Enter the twelve words of your case.';
  if (count > WORD_COUNT) return MORE_THAN_TWELVE;
  return `You entered ${count} ${count === 1 ? 'word' : 'words'}; there are twelve. Enter all of them, in their order.`;
}

/** All words are known at this point, so only the checksum can fail. */
function decodeEntropy(words: string): Uint8Array {
  try {
    return mnemonicToEntropy(words, wordlist);
  } catch {
    // No cause: some messages of the library contain a word, and a cause may be logged.
    throw new WordsError('words_checksum', words.split(' '));
  }
}
