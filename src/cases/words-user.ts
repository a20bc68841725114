/** The user who signs in with the words of a case: only the keyring leads from the one to the other. */
import type { Services } from '#services.ts';
import { runInBatches } from '#store/batches.ts';
import type { Keyring } from '#store/keyring.ts';
import { deleteUser, findUserId, listUnsealedWordsUsers, sealWordsUserTag, type User } from '#store/users.ts';

/** Stored with the case, and with the user who signs in with its words in an encrypted box only. */
export function deriveWordsTag(keyring: Keyring, lookupHash: string): string {
  return keyring.tag('user words', lookupHash);
}

/** Another value than the case has: the user's consents name clients, and equal tags would say for which case. */
export function deriveWordsUserTag(keyring: Keyring, wordsTag: string): string {
  return keyring.tag('words user', wordsTag);
}

/** What a user of words has in the records: the tag to be found by, and the case's tag, encrypted. */
export function buildWordsUserTags(keyring: Keyring, wordsTag: string, userId: string) {
  return {
    words_tag: deriveWordsUserTag(keyring, wordsTag),
    words_box: keyring.seal('words user', wordsTag, userId),
  };
}

/** The tag of the case whose words the user signs in with; null for a user with an address. */
export function openWordsTag(
  keyring: Keyring,
  { id, words_box }: Pick<User, 'id' | 'words_box'>,
): string | null {
  return words_box === null ? null : keyring.open('words user', words_box, id);
}

/**
 * Version 0.1.0 gave users the same tag as their case. SQL has no keyring, so this runs at the start instead of in a
 * migration; a second run or process finds what is left, or nothing.
 */
export async function convertWordsUsers({
  keyring,
  store,
}: Pick<Services, 'keyring' | 'store'>): Promise<void> {
  if ((await listUnsealedWordsUsers(store.records, 1)).length === 0) return;
  await runInBatches(store, async (records, limit) => {
    const users = await listUnsealedWordsUsers(records, limit);
    for (const { id, words_tag: wordsTag } of users) {
      const tags = buildWordsUserTags(keyring, wordsTag, id);
      const successor = await findUserId(records, { words_tag: tags.words_tag });
      // The former version ran beside this one and did not find the user that was already converted.
      if (successor !== null && successor !== id) await deleteUser(records, id);
      else await sealWordsUserTag(records, id, tags);
    }
    return users.length;
  });
}
