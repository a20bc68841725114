/** Derives the keys from the entered words; an error points to their field. */
import { toUserFacingError } from '#browser/rpc/seal-fault.ts';
import { deriveWordKeys, type WordKeys } from '#seal/words.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

export async function deriveEnteredWordKeys(words: string): Promise<WordKeys> {
  try {
    return await deriveWordKeys(words);
  } catch (error) {
    throw toUserFacingError(error, WORDS_FIELD);
  }
}
