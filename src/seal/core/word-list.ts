/** The English word list (BIP-39) that the twelve words come from: completes abbreviated words, finds similar ones. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { WORD_PREFIX_LENGTH } from '../form/asked-words.ts';
import { encodeUtf8 } from './bytes.ts';

const MAX_NEAR_WORDS = 3;
/** The longest word of the list has eight letters. */
const MAX_WORD_LENGTH = 10;

/** The first four letters identify every word of the list. */
const wordsByPrefix = new Map(wordlist.map((word) => [word.slice(0, WORD_PREFIX_LENGTH), word]));

/** SHA-256 of the words, each with a line feed, in hex: shows whether another program has the same list. */
export function computeWordListHash(): string {
  return bytesToHex(sha256(encodeUtf8(wordlist.map((word) => `${word}\n`).join(''))));
}

export function isKnownWord(word: string): boolean {
  return findByPrefix(word) === word;
}

/** Returns text that is not the start of a word unchanged. */
export function completeWord(word: string): string {
  const known = findByPrefix(word);
  return word.length >= WORD_PREFIX_LENGTH && known?.startsWith(word) ? known : word;
}

function findByPrefix(word: string): string | undefined {
  return wordsByPrefix.get(word.slice(0, WORD_PREFIX_LENGTH));
}

/** Words that differ by one typing error or, failing that, start with the same letters. */
export function findNearWords(word: string): readonly string[] {
  const near = wordlist.filter((known) => isOneSlipAway(word, known));
  if (near.length > 0) return near.slice(0, MAX_NEAR_WORDS);
  const start = word.slice(0, WORD_PREFIX_LENGTH);
  // Twelve words without spaces between them are not one word.
  const isWord = start.length === WORD_PREFIX_LENGTH && word.length <= MAX_WORD_LENGTH;
  return isWord ? [findByPrefix(word) ?? []].flat() : [];
}

/** One letter wrong, missing or extra, or two adjacent letters swapped. */
function isOneSlipAway(typed: string, known: string): boolean {
  if (Math.abs(typed.length - known.length) > 1) return false;
  let same = 0;
  while (same < typed.length && typed[same] === known[same]) same += 1;
  const [restOfTyped, restOfKnown] = [typed.slice(same), known.slice(same)];
  return (
    restOfTyped.slice(1) === restOfKnown.slice(1) ||
    restOfTyped.slice(1) === restOfKnown ||
    restOfTyped === restOfKnown.slice(1) ||
    (restOfTyped.slice(2) === restOfKnown.slice(2) &&
      restOfTyped[0] === restOfKnown[1] &&
      restOfTyped[1] === restOfKnown[0])
  );
}
