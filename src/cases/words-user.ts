/** The user who signs in with the words of a case: only the keyring leads from the one to the other. */
import type { Services } from '#services.ts';
import { runInBatches } from '#store/batches.ts';
import { findCaseByWordsTag } from '#store/cases.ts';
import type { Keyring, TagList } from '#store/keyring.ts';
import type { Records } from '#store/tables.ts';
import { deleteUser, findUserId, listUnsealedWordsUsers, sealWordsUserTag, type User } from '#store/users.ts';

/** The first one is stored with the case, and with the user who signs in with its words in an encrypted box only. */
export function deriveWordsTags(keyring: Keyring, lookupHash: string): TagList {
  return keyring.tags('user words', lookupHash);
}

/** Other values than the case has: the user's consents name clients, and equal tags would say for which case. */
export function deriveWordsUserTags(keyring: Keyring, wordsTags: readonly string[]): string[] {
  return [...new Set(wordsTags)].flatMap((wordsTag) => keyring.tags('words user', wordsTag));
}

/**
 * What a user of words has in the records: the tag to be found by, and the case's tags, encrypted. All of them, since
 * the case has the one or the other while the master key is changed.
 */
export function buildWordsUserTags(keyring: Keyring, wordsTags: TagList, userId: string) {
  return {
    words_tag: keyring.tag('words user', wordsTags[0]),
    words_box: keyring.seal('words user', wordsTags.join(' '), userId),
  };
}

/** The tags of the case whose words the user signs in with; empty for a user with an address. */
export function openWordsTags(keyring: Keyring, { id, words_box }: Pick<User, 'id' | 'words_box'>): string[] {
  return words_box === null ? [] : keyring.open('words user', words_box, id).split(' ');
}

/** The tags that the case of a user can have from now on, with every key. */
async function resolveWordsTags(
  records: Records,
  keyring: Keyring,
  stored: TagList,
): Promise<TagList> {
  const record = await findCaseByWordsTag(records, stored);
  const tags = record && deriveWordsTags(keyring, record.lookup_hash);
  return tags?.includes(record?.words_tag ?? '') ? tags : stored;
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
      const wordsTags = await resolveWordsTags(records, keyring, [wordsTag]);
      const successor = await findUserId(records, { words_tag: deriveWordsUserTags(keyring, wordsTags) });
      // The former version ran beside this one and did not find the user that was already converted.
      if (successor !== null && successor !== id) await deleteUser(records, id);
      else await sealWordsUserTag(records, id, buildWordsUserTags(keyring, wordsTags, id));
    }
    return users.length;
  });
}
