/** The user who signs in with the words of a case: only the keyring leads from the one to the other. */
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keyring.ts';
import { deleteUser, findUserId, listUnsealedWordsUsers, sealWordsUserTag, type User } from '#store/users.ts';

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
export function openWordsTag(keyring: Keyring, { id, words_box }: User): string | null {
  return words_box === null ? null : keyring.open('words user', words_box, id);
}

/**
 * Version 0.1.0 gave users the same tag as their case. SQL has no keyring, so this runs at the start instead of in a
 * migration: all in one transaction, and a second run or process finds nothing left to do.
 */
export async function convertWordsUsers({
  keyring,
  store,
}: Pick<Services, 'keyring' | 'store'>): Promise<void> {
  if ((await listUnsealedWordsUsers(store.records)).length === 0) return;
  await store.transaction(async (records) => {
    for (const { id, words_tag: wordsTag } of await listUnsealedWordsUsers(records)) {
      const tags = buildWordsUserTags(keyring, wordsTag, id);
      const successor = await findUserId(records, tags);
      // The former version ran beside this one and did not find the user that was already converted.
      if (successor !== null && successor !== id) await deleteUser(records, id);
      else await sealWordsUserTag(records, id, tags);
    }
  });
}
