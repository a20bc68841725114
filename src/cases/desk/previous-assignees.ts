/** The cases of investigators who have left the desk count as unassigned. */
import { findNextAssignee } from '#store/cases/case-assignees.ts';
import type { CaseChoice } from '#store/cases/desk-queue.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import type { Records } from '#store/schema/tables.ts';
import { parseRecipientSetMembers } from '../sealing/recipient-set.ts';

/** Only `keys reseal` removes an investigator, so the recipient set says who is still there. */
export async function createPreviousAssigneeCheck(records: Records): Promise<(assignee: string) => boolean> {
  const members = parseRecipientSetMembers(await findRecipientSet(records))
    .filter(({ role }) => role !== 'recovery')
    .map(({ hash }) => hash);
  // If the members are not known, no one counts as having left.
  return (assignee) => members.length > 0 && !members.includes(assignee);
}

/** Unassigned cases, and those of investigators who have left. */
export async function includePreviousAssignees(records: Records, choice: CaseChoice): Promise<CaseChoice> {
  if (choice.assignee !== null) return choice;
  const hasLeft = await createPreviousAssigneeCheck(records);
  const alsoAssignedTo: string[] = [];
  // As many steps as people ever had a case.
  for (let after = ''; ; ) {
    const assignee = await findNextAssignee(records, after);
    if (assignee === null) return { ...choice, alsoAssignedTo };
    if (hasLeft(assignee)) alsoAssignedTo.push(assignee);
    after = assignee;
  }
}
