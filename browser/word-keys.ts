/** What the words lead to, worked out in the worker; a mistake in them is told at their field. */
import { type WordKeys, wordKeys } from '#seal/words.ts';
import { asFault } from './seal-fault.ts';

export async function keysOf(words: string): Promise<WordKeys> {
  try {
    return await wordKeys(words);
  } catch (error) {
    throw asFault(error, 'words');
  }
}
