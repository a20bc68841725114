/** Signing in with the twelve words of a case: used in memory to find it, and kept nowhere. */
import { wordsTag } from '#cases/access.ts';
import { newId } from '#platform/ids.ts';
import { SealError } from '#seal/seal-error.ts';
import { lookupHashOf, NO_CASE, wordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import { findCaseByLookup } from '#store/cases.ts';
import { keepUser } from '#store/users.ts';

type Found = { readonly userId: string } | { readonly fault: string };

/** What a browser proves of the words, or the words themselves from one that runs no script. */
export interface Shown {
  readonly lookupToken: string | null;
  readonly words: string;
}

export async function userOfWords(
  { store, clock, keyring }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  shown: Shown,
): Promise<Found> {
  const lookupHash = await lookupHashIn(shown);
  if ('fault' in lookupHash) return lookupHash;
  const { value } = lookupHash;
  return await store.transaction(async (records): Promise<Found> => {
    if (!(await findCaseByLookup(records, value))) return { fault: NO_CASE };
    const user = { id: newId(), words_tag: wordsTag(keyring, value), created_at: clock.now() };
    return { userId: await keepUser(records, user) };
  });
}

async function lookupHashIn({
  lookupToken,
  words,
}: Shown): Promise<{ readonly value: string } | { readonly fault: string }> {
  try {
    return { value: lookupToken === null ? (await wordKeys(words)).lookupHash : lookupHashOf(lookupToken) };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { fault: error.code.startsWith('words_') ? error.message : NO_CASE };
  }
}
