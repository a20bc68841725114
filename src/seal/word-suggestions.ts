/** Says which of the typed words are not among ours, and which ones may have been meant: for the person who typed them alone. */

import { findNearWords } from './word-list.ts';
import { listUnknownWords } from './words.ts';

const MAX_EXPLAINED = 3;

/** Never to be logged: a suggestion is nearly a word of the case. Empty if every word is known. */
export function explainUnknownWords(text: string): string {
  const unknown = listUnknownWords(text);
  const sentences = unknown.slice(0, MAX_EXPLAINED).map(({ position, word }) => {
    const near = findNearWords(word).map((each) => `“${each}”`);
    const question = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    return `Check word ${position}: it isn’t one of our words.${question}`;
  });
  const others = unknown.slice(MAX_EXPLAINED).length;
  if (others > 0) sentences.push(`And ${others} more: check the spelling of each word.`);
  return sentences.join(' ');
}
