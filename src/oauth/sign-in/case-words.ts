/** Sign-in with the twelve words of a case, which are used in memory only and never stored. */
import { buildWordsUserTags, deriveWordsTag, deriveWordsUserTag } from '#cases/access.ts';
import { generateId } from '#platform/text/ids.ts';
import { SealError } from '#seal/core/seal-error.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import { computeLookupHash, deriveWordLookup } from '#seal/core/words.ts';
import { explainRefusedWords } from '#seal/form/word-suggestions.ts';
import type { Services } from '#services.ts';
import { findCaseByLookup } from '#store/cases/cases.ts';
import { findOrCreateUser, findUserId } from '#store/clients/users.ts';

type SignInResult<UserId = string> = { readonly userId: UserId } | { readonly fault: UnsaidText };

/** Wrong words and an unknown case give the same error. */
const NO_CASE: UnsaidText = { key: 'problem.case_unknown' };

/** The lookup token that a browser derives from the words, or the words themselves if it runs no script. */
export interface SubmittedWords {
  readonly lookupToken: string | null;
  readonly words: string;
}

export async function resolveUserByWords(
  { store, clock, keyring }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  submitted: SubmittedWords,
): Promise<SignInResult> {
  const lookupHash = resolveLookupHash(submitted);
  if ('fault' in lookupHash) return lookupHash;
  const { value } = lookupHash;
  return await store.transaction(async (records): Promise<SignInResult> => {
    if (!(await findCaseByLookup(records, value, clock.now()))) return { fault: NO_CASE };
    const id = generateId();
    const tags = buildWordsUserTags(keyring, deriveWordsTag(keyring, value), id);
    const user = { id, ...tags, created_at: clock.now() };
    return { userId: await findOrCreateUser(records, { words_tag: tags.words_tag }, user) };
  });
}

/** The same for a visitor who only looks: creates no user; the id is null for words never used to sign in. */
export async function resolveVisitorByWords(
  { store, clock, keyring }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  submitted: SubmittedWords,
): Promise<SignInResult<string | null>> {
  const lookupHash = resolveLookupHash(submitted);
  if ('fault' in lookupHash) return lookupHash;
  const { value } = lookupHash;
  if (!(await findCaseByLookup(store.records, value, clock.now()))) return { fault: NO_CASE };
  const tag = deriveWordsUserTag(keyring, deriveWordsTag(keyring, value));
  return { userId: await findUserId(store.records, { words_tag: tag }) };
}

function resolveLookupHash({
  lookupToken,
  words,
}: SubmittedWords): { value: string } | { fault: UnsaidText } {
  try {
    if (lookupToken !== null) return { value: computeLookupHash(lookupToken) };
    return { value: deriveWordLookup(words).lookupHash };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { fault: explainRefusedWords(error) ?? NO_CASE };
  }
}
