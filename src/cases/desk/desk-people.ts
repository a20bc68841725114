/** Who works at the desk, and who has left it: each investigator is identified by the hash of their public key. */
import type { Config } from '#platform/config/config.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { Services } from '#services.ts';
import { type CaseChoice, listAssignees } from '#store/cases/desk-queue.ts';
import { findRecipientSet, type RecipientSet } from '#store/keys/recipient-set.ts';
import type { Records } from '#store/schema/tables.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { listSetInvestigators } from '../sealing/recipient-set.ts';
import type { SealingKeys } from '../sealing/sealing-keys.ts';

/** A key without a name belongs to the operator. */
const UNNAMED_ROLE = 'owner';

/** Names and roles come only from the configuration. */
export async function listDeskPeople(
  { sealingKeys }: Pick<Services, 'sealingKeys'>,
  { people }: Pick<Config['seal'], 'people'>,
): Promise<DeskPersonView[]> {
  const { desk } = await sealingKeys;
  return desk.map((recipient) => {
    const { name = null, role = UNNAMED_ROLE } =
      people.find((person) => person.recipient === recipient) ?? {};
    return { holder: computeInvestigatorId(recipient), name, role, recipient };
  });
}

/** A person removed by `keys reseal` loses access at once, even if an instance still has the previous configuration. */
export function isInRecipientSet(
  adopted: RecipientSet | undefined,
  { set }: Pick<SealingKeys, 'set'>,
  investigator: string,
): boolean {
  if (adopted?.tag === set) return true;
  return listSetInvestigators(adopted).includes(investigator);
}

export type PreviousAssigneeCheck = (assignee: string) => boolean;

export async function createPreviousAssigneeCheck(records: Records): Promise<PreviousAssigneeCheck> {
  return toPreviousAssigneeCheck(await findRecipientSet(records));
}

/** Only `keys reseal` removes an investigator, so the recipient set says who is still there. */
export function toPreviousAssigneeCheck(set: RecipientSet | undefined): PreviousAssigneeCheck {
  const members = listSetInvestigators(set);
  // If the members are not known, no one counts as having left.
  return (assignee) => members.length > 0 && !members.includes(assignee);
}

/** For unassigned cases: adds those of investigators who have left. */
export async function includePreviousAssignees(
  records: Records,
  choice: CaseChoice,
  hasLeft: PreviousAssigneeCheck,
): Promise<CaseChoice> {
  if (choice.assignee !== null) return choice;
  return { ...choice, alsoAssignedTo: (await listAssignees(records)).filter(hasLeft) };
}
