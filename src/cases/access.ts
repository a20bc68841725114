/** Decides who may see a case: the client or person that submitted it, and the user who signed in with its words. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, findCaseForViewer } from '#store/cases/cases.ts';
import { findUser, type User } from '#store/clients/users.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { formatOwner, type RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';

export async function deriveCaseViewer(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  caller: RecordOwner,
): Promise<CaseViewer> {
  const user = caller.userId === null ? undefined : await findUser(store.records, caller.userId);
  return {
    owner: computeCaseOwnerTag(keyring, caller),
    words_tag: user ? openWordsTag(keyring, user) : null,
  };
}

/** Orders are tagged with another key, so that a case cannot be linked to its order. The text must never change. */
export function computeCaseOwnerTag(keyring: Keyring, owner: RecordOwner): string {
  return keyring.tag('case owner', `client ${formatOwner(owner)}`);
}

/** Someone else's case gives the same error as one that does not exist. */
export async function requireOwnCase(
  records: Records,
  id: string,
  viewer: CaseViewer,
  now: number,
): Promise<Case> {
  const record = await findCaseForViewer(records, id, viewer, now);
  if (!record) throw new ServiceError('case_unknown');
  return record;
}

export function isCaseVisibleTo(record: Case, viewer: CaseViewer): boolean {
  return record.owner === viewer.owner || record.words_tag === viewer.words_tag;
}

/** Stored with the case. The user who signs in with its words has it only encrypted: only the keyring links the two. */
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
function openWordsTag(
  keyring: Keyring,
  { id, words_ciphertext }: Pick<User, 'id' | 'words_ciphertext'>,
): string | null {
  return words_ciphertext === null ? null : keyring.open('words user', words_ciphertext, id);
}
