/** The cases of investigators who have left the desk count as unassigned. */
import { findNextHolder } from '#store/cases/case-assignees.ts';
import type { CaseChoice } from '#store/cases/desk-queue.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import type { Records } from '#store/schema/tables.ts';
import { parseRecipientSetMembers } from '../sealing/recipient-set.ts';

/** Only `keys reseal` removes an investigator, so the recipient set says who is still there. */
export async function createPreviousHolderCheck(records: Records): Promise<(holder: string) => boolean> {
  const members = parseRecipientSetMembers(await findRecipientSet(records))
    .filter(({ role }) => role !== 'recovery')
    .map(({ hash }) => hash);
  // If the members are not known, no one counts as having left.
  return (holder) => members.length > 0 && !members.includes(holder);
}

/** Unassigned cases, and those of investigators who have left. */
export async function includePreviousHolders(records: Records, choice: CaseChoice): Promise<CaseChoice> {
  if (choice.holder !== null) return choice;
  const hasLeft = await createPreviousHolderCheck(records);
  const alsoHeldBy: string[] = [];
  // As many steps as people ever had a case.
  for (let after = ''; ; ) {
    const holder = await findNextHolder(records, after);
    if (holder === null) return { ...choice, alsoHeldBy };
    if (hasLeft(holder)) alsoHeldBy.push(holder);
    after = holder;
  }
}
