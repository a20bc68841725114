/** Derives from the entered words the values that find and open a case; an error names the field. */
import { toUserFacingError, UserFacingError } from '#browser/rpc/fault.ts';
import { deriveWordLookup, type WordLookup } from '#seal/core/words.ts';
import { explainRefusedWords } from '#seal/form/word-suggestions.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

export interface EnteredWords {
  readonly words: string;
}

export function deriveEnteredWordLookup(words: string): WordLookup {
  try {
    return deriveWordLookup(words);
  } catch (error) {
    const said = explainRefusedWords(error);
    if (said === null) throw toUserFacingError(error, WORDS_FIELD);
    throw new UserFacingError({ code: 'words', said, field: WORDS_FIELD });
  }
}
