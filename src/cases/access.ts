/** Decides who may see a case: the client or person that submitted it, and whoever signed in with its words. */
import { formatOwner, type RecordOwner } from '#payments/owner.ts';
import { ServiceError } from '#platform/errors.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewerTags, findCaseForViewer, listCasesForViewer } from '#store/cases.ts';
import type { Keyring, KeyringKey, TagList } from '#store/keyring.ts';
import type { Records } from '#store/tables.ts';
import { findUser } from '#store/users.ts';
import { openWordsTags } from './words-user.ts';

/** The tags of a caller. Orders use tags of another key, so that a case cannot be linked to its order. */
export type CaseViewer = CaseViewerTags & { readonly owner: TagList };

export async function deriveCaseViewer(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  caller: RecordOwner,
): Promise<CaseViewer> {
  const user = caller.userId === null ? undefined : await findUser(store.records, caller.userId);
  return {
    owner: computeCaseOwnerTags(keyring, caller),
    words_tag: user ? openWordsTags(keyring, user) : [],
  };
}

export function computeCaseOwnerTags(keyring: Keyring, owner: RecordOwner): TagList {
  return keyring.tags('case owner', formatCaseOwner(owner));
}

export function computeCaseOwnerTag(key: KeyringKey, owner: RecordOwner): string {
  return key.tag('case owner', formatCaseOwner(owner));
}

/** The text behind a tag: must never change. */
function formatCaseOwner(owner: RecordOwner): string {
  return `client ${formatOwner(owner)}`;
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
  return (['owner', 'words_tag'] as const).some((column) => {
    const tag = record[column];
    return tag !== null && viewer[column].includes(tag);
  });
}

export async function listViewerCases(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  viewer: CaseViewer,
  page: PageRequest,
): Promise<Case[]> {
  return await listCasesForViewer(store.records, viewer, page, clock.now());
}
