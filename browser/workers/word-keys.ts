/** Derives what finds and opens a case from the entered words; an error points to their field. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import { toUserFacingError } from '#browser/rpc/seal-fault.ts';
import { SealError } from '#seal/seal-error.ts';
import { explainUnknownWords } from '#seal/word-suggestions.ts';
import { deriveWordLookup, type WordLookup } from '#seal/words.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

export function deriveEnteredWordLookup(words: string): WordLookup {
  try {
    return deriveWordLookup(words);
  } catch (error) {
    if (!(error instanceof SealError && error.code === 'words_unknown'))
      throw toUserFacingError(error, WORDS_FIELD);
    const { code } = error;
    throw new UserFacingError({ code, sentence: explainUnknownWords(words), field: WORDS_FIELD });
  }
}
