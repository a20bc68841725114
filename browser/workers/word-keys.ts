/** Derives what finds and opens a case from the entered words; an error points to their field. */
import { toUserFacingError } from '#browser/rpc/seal-fault.ts';
import { deriveWordLookup, type WordLookup } from '#seal/words.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

export function deriveEnteredWordLookup(words: string): WordLookup {
  try {
    return deriveWordLookup(words);
  } catch (error) {
    throw toUserFacingError(error, WORDS_FIELD);
  }
}
