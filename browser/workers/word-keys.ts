/** What the words lead to, worked out in the worker; a mistake in them is told at their field. */
import { asFault } from '#browser/rpc/seal-fault.ts';
import { type WordKeys, wordKeys } from '#seal/words.ts';

export async function keysOf(words: string): Promise<WordKeys> {
  try {
    return await wordKeys(words);
  } catch (error) {
    throw asFault(error, 'words');
  }
}
