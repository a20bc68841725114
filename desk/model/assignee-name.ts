/** Names an assignee: you, a colleague by the name that you have confirmed, or the digits of a key. */
import { formatInvestigatorKey, type RememberedPerson } from '#desk/office/office-people.ts';
import { showLine } from './shown-text.ts';

export interface DeskStaff {
  /** The investigator's own key. */
  readonly holder: string;
  readonly people: readonly RememberedPerson[];
}

export function nameAssignee(holder: string | null, { holder: own, people }: DeskStaff): string {
  if (holder === null) return 'Unassigned';
  if (holder === own) return 'You';
  const person = people.find((known) => known.holder === holder);
  if (!person) return 'A colleague who left';
  return person.name === null ? `Key ${formatInvestigatorKey(holder)}` : showLine(person.name);
}

/** Adds the key to the name, for places where the identity matters. */
export function nameAssigneeWithKey(holder: string, staff: DeskStaff): string {
  const name = nameAssignee(holder, staff);
  const digits = formatInvestigatorKey(holder);
  return name === 'You' || name.endsWith(digits) ? name : `${name} (key ${digits})`;
}
