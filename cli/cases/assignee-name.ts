/** Names assignees for people: by the name that the investigator has confirmed, or by the fingerprint of the key. */
import { formatInvestigatorKey, type RememberedPerson } from '#desk/office/office-people.ts';
import { isInvestigatorId } from '#seal/core/investigator-id.ts';
import { terminalSafe } from '../terminal/table.ts';

export type InvestigatorNames = ReadonlyMap<string, string>;

/** The names that the investigator has confirmed. */
export function listOfficeNames(people: readonly RememberedPerson[]): InvestigatorNames {
  return new Map(
    people.flatMap(({ holder, name }) => (name === null ? [] : [[holder, terminalSafe.line(name)]])),
  );
}

export function formatAssignee(holder: string, names: InvestigatorNames): string {
  const name = names.get(holder);
  if (name !== undefined) return name;
  return isInvestigatorId(holder) ? `Key ${formatInvestigatorKey(holder)}` : 'Unknown';
}

/** Adds the key to the name, for places where it matters who it was. */
export function formatAssigneeWithKey(holder: string, names: InvestigatorNames): string {
  const text = formatAssignee(holder, names);
  return names.has(holder) ? `${text} (key ${formatInvestigatorKey(holder)})` : text;
}
