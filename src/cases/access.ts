/** Decides who may see a case: the client or person that submitted it, and whoever signed in with its words. */
import { formatOwner, type RecordOwner } from '#payments/owner.ts';
import { ServiceError } from '#platform/errors.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewerTags, findCaseForViewer, listCasesForViewer } from '#store/cases.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Records } from '#store/tables.ts';
import { findUser } from '#store/users.ts';
import { openWordsTag } from './words-user.ts';

/** The tags of a caller. Orders use tags of another key, so that a case cannot be linked to its order. */
export type CaseViewer = CaseViewerTags & { readonly owner: string };

export async function deriveCaseViewer(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  caller: RecordOwner,
): Promise<CaseViewer> {
  const user = caller.userId === null ? undefined : await findUser(store.records, caller.userId);
  return {
    owner: keyring.tag('case owner', `client ${formatOwner(caller)}`),
    words_tag: user ? openWordsTag(keyring, user) : null,
  };
}

/** Stored with the case, and with the user who signs in with its words in an encrypted box only. */
export function deriveWordsTag(keyring: Keyring, lookupHash: string): string {
  return keyring.tag('user words', lookupHash);
}

/** Another's case gives the same error as one that does not exist. */
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
  return (['owner', 'words_tag'] as const).some(
    (column) => viewer[column] !== null && record[column] === viewer[column],
  );
}

export async function listViewerCases(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  viewer: CaseViewer,
  page: PageRequest,
): Promise<Case[]> {
  return await listCasesForViewer(store.records, viewer, page, clock.now());
}
