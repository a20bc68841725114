/** Decides who may see a case: the client or person that submitted it, and the user who signed in with its words. */

import { ServiceError } from '#platform/errors.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, findCaseForViewer, listCasesForViewer } from '#store/cases/cases.ts';
import { findUser } from '#store/clients/users.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { formatOwner, type RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';
import { openWordsTag } from './intake/words-user.ts';

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

export async function listViewerCases(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  viewer: CaseViewer,
  page: PageRequest,
): Promise<Case[]> {
  return await listCasesForViewer(store.records, viewer, page, clock.now());
}
