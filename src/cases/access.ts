/** Who may see a case: its client, the user it was submitted for, and whoever signed in with its words. */
import { ServiceError } from '#platform/errors.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewerTags, findCaseForViewer, listCasesForViewer } from '#store/cases.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Records } from '#store/tables.ts';
import { findUser } from '#store/users.ts';

/** The tags of a caller. They are made under a key that no order shares, so that nothing joins the two. */
export type CaseViewer = CaseViewerTags & { readonly owner: string };

/** A client, for itself or for a user. */
interface Acting {
  readonly clientId: string;
  readonly userId: string | null;
}

export async function deriveCaseViewer(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  { clientId, userId }: Acting,
): Promise<CaseViewer> {
  const user = userId === null ? undefined : await findUser(store.records, userId);
  return {
    owner: keyring.tag('case owner', `client ${clientId}`),
    user_tag: user ? keyring.tag('case owner', `user ${user.id}`) : null,
    words_tag: user?.words_tag ?? null,
  };
}

/** Whoever holds the words of a case is its user: the tag tells which case, to whoever has the case and the key. */
export function deriveWordsTag(keyring: Keyring, lookupHash: string): string {
  return keyring.tag('user words', lookupHash);
}

/** Another's case is as unknown as one that never was. */
export async function requireOwnCase(records: Records, id: string, viewer: CaseViewer): Promise<Case> {
  const found = await findCaseForViewer(records, id, viewer);
  if (!found) throw new ServiceError('case_unknown');
  return found;
}

export function isCaseVisibleTo(found: Case, viewer: CaseViewer): boolean {
  return (['owner', 'user_tag', 'words_tag'] as const).some(
    (column) => viewer[column] !== null && found[column] === viewer[column],
  );
}

export async function listViewerCases(
  { store }: Pick<Services, 'store'>,
  viewer: CaseViewer,
  page: PageRequest,
): Promise<Case[]> {
  return await listCasesForViewer(store.records, viewer, page);
}
