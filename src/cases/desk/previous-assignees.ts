/** The cases of investigators who have left the desk count as unassigned. */
import { type CaseChoice, listAssignees } from '#store/cases/desk-queue.ts';
import { findRecipientSet, type RecipientSet } from '#store/keys/recipient-set.ts';
import type { Records } from '#store/schema/tables.ts';
import { parseRecipientSetMembers } from '../sealing/recipient-set.ts';

export type PreviousAssigneeCheck = (assignee: string) => boolean;

export async function createPreviousAssigneeCheck(records: Records): Promise<PreviousAssigneeCheck> {
  return toPreviousAssigneeCheck(await findRecipientSet(records));
}

/** Only `keys reseal` removes an investigator, so the recipient set says who is still there. */
export function toPreviousAssigneeCheck(set: RecipientSet | undefined): PreviousAssigneeCheck {
  const members = parseRecipientSetMembers(set)
    .filter(({ role }) => role !== 'recovery')
    .map(({ hash }) => hash);
  // If the members are not known, no one counts as having left.
  return (assignee) => members.length > 0 && !members.includes(assignee);
}

/** Unassigned cases, and those of investigators who have left. */
export async function includePreviousAssignees(
  records: Records,
  choice: CaseChoice,
  hasLeft: PreviousAssigneeCheck,
): Promise<CaseChoice> {
  if (choice.assignee !== null) return choice;
  return { ...choice, alsoAssignedTo: (await listAssignees(records)).filter(hasLeft) };
}
