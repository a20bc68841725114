/** Who a holder is to people: the name that the configuration gives the key, or its fingerprint. */
import type { RememberedPerson } from '#desk-program/keys/people-file.ts';
import { formatHolderKey } from '#desk-program/office/office-people.ts';
import { loadConfig } from '#platform/config.ts';
import { computeHolder, isHolder } from '#seal/holder.ts';
import { getIo } from './io.ts';
import { terminalSafe } from './terminal-text.ts';

export type HolderNames = ReadonlyMap<string, string>;

/** For a command beside the service. */
export function readHolderNames(): HolderNames {
  return new Map(
    loadConfig(getIo().env).seal.people.map(({ name, recipient }) => [computeHolder(recipient), name]),
  );
}

/** For a command at an office: the names that the investigator has confirmed. */
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
