/** Who a holder is to people: the name that the investigator knows them by, or the fingerprint of the key. */
import type { RememberedPerson } from '#desk/keys/people-file.ts';
import { formatHolderKey } from '#desk/office/office-people.ts';
import { isHolder } from '#seal/core/assignee.ts';
import { terminalSafe } from '../terminal/table.ts';

export type HolderNames = ReadonlyMap<string, string>;

/** The names that the investigator has confirmed. */
export function listOfficeNames(people: readonly RememberedPerson[]): HolderNames {
  return new Map(
    people.flatMap(({ holder, name }) => (name === null ? [] : [[holder, terminalSafe.line(name)]])),
  );
}

export function formatHolder(holder: string, names: HolderNames): string {
  const name = names.get(holder);
  if (name !== undefined) return name;
  return isHolder(holder) ? `Key ${formatHolderKey(holder)}` : 'Unknown';
}

/** Where it matters who it was, the key stands beside the name. */
export function formatHolderWithKey(holder: string, names: HolderNames): string {
  const text = formatHolder(holder, names);
  return names.has(holder) ? `${text} (key ${formatHolderKey(holder)})` : text;
}
