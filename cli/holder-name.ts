/** Who a holder is to people: the name that the configuration gives the key, or its fingerprint. */
import { loadConfig } from '#platform/config.ts';
import { formatKeyFingerprint } from '#seal/case-key.ts';
import { computeHolder, isHolder } from '#seal/holder.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { terminalSafe } from './terminal-text.ts';

export type HolderNames = ReadonlyMap<string, string>;

/** For a command beside the service; a machine with nothing but a bundle knows no names. */
export function readHolderNames(): HolderNames {
  return new Map(loadConfig().seal.people.map(({ name, recipient }) => [computeHolder(recipient), name]));
}

/** For a command at an office, as the office says. */
export function listOfficeNames(people: readonly DeskPersonView[]): HolderNames {
  return new Map(
    people.flatMap(({ holder, name }) => (name === null ? [] : [[holder, terminalSafe.line(name)]])),
  );
}

export function formatHolder(holder: string, names: HolderNames): string {
  const name = names.get(holder);
  if (name !== undefined) return name;
  return isHolder(holder) ? `Key ${formatKeyFingerprint(Buffer.from(holder, 'base64url'))}` : 'Unknown';
}
