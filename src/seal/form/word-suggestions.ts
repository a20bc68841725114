/** Explains why the typed words are refused and suggests similar ones, only for the person who typed them. */
import type { UnsaidText } from '../core/unsaid-text.ts';
import { findNearWords } from '../core/word-list.ts';
import { listUnknownWords, WORD_COUNT, WordsError } from '../core/words.ts';

const MAX_EXPLAINED = 3;

/** Must not be logged: a suggestion is close to a word of the case. Null for an error that is not about the words. */
export function explainRefusedWords(error: unknown): UnsaidText | null {
  if (!(error instanceof WordsError)) return null;
  const words = error.readTypedWords();
  if (error.code === 'words_unknown') return explainUnknownWords(words ?? []);
  if (words === null || words.length > WORD_COUNT) return { key: 'problem.words_long' };
  return { key: `problem.${error.code}`, values: { count: words.length } };
}

function explainUnknownWords(words: readonly string[]): readonly UnsaidText[] {
  const unknown = listUnknownWords(words);
  const sentences: UnsaidText[] = unknown.slice(0, MAX_EXPLAINED).map(({ position, word }) => {
    const near = findNearWords(word).map(toQuotedWord);
    if (near.length === 0) return { key: 'words.unknown', values: { position } };
    return { key: 'words.unknown.near', values: { position, near: near.reduce(joinByOr) } };
  });
  const count = unknown.slice(MAX_EXPLAINED).length;
  if (count > 0) sentences.push({ key: 'words.unknown.more', values: { count } });
  return sentences.flatMap((sentence, index) => (index === 0 ? [sentence] : [' ', sentence]));
}

function toQuotedWord(word: string): UnsaidText {
  return { key: 'words.near', values: { word } };
}

function joinByOr(first: UnsaidText, second: UnsaidText): UnsaidText {
  return { key: 'words.near.or', values: { first, second } };
}
