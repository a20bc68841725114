/** The user who signs in with the words of a case: only the keyring links the two. */

import type { User } from '#store/clients/users.ts';
import type { Keyring } from '#store/keys/keyring.ts';

/** Stored with the case; the user who signs in with its words has it only encrypted. */
export function deriveWordsTag(keyring: Keyring, lookupHash: string): string {
  return keyring.tag('user words', lookupHash);
}

/** Differs from the tag of the case: the user's consents name clients, and equal tags would link them to the case. */
export function deriveWordsUserTag(keyring: Keyring, wordsTag: string): string {
  return keyring.tag('words user', wordsTag);
}

/** What the records store for a user with words: the tag to find the user by, and the tag of the case, encrypted. */
export function buildWordsUserTags(keyring: Keyring, wordsTag: string, userId: string) {
  return {
    words_tag: deriveWordsUserTag(keyring, wordsTag),
    words_ciphertext: keyring.seal('words user', wordsTag, userId),
  };
}

/** The tag of the case whose words the user signs in with; null for a user with an address. */
export function openWordsTag(
  keyring: Keyring,
  { id, words_ciphertext }: Pick<User, 'id' | 'words_ciphertext'>,
): string | null {
  return words_ciphertext === null ? null : keyring.open('words user', words_ciphertext, id);
}
