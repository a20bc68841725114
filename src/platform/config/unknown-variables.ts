/** Finds variables that are never read: misspelt ones, which would otherwise silently count as unset. */
import type { Environment, EnvironmentReader } from './environment.ts';

/** A shorter name would too easily resemble one that belongs to another program. */
const SHORTEST_NAME = 6;
const CHARACTERS_PER_SLIP = 5;

/** Variables of the versions before 1.0.0, with what replaces them. */
const replacedNames: Readonly<Record<string, string>> = {
  BACKUP_RECIPIENT: 'use --recipient of backup',
  CALLBACK_LOOPBACK: 'webhooks may name this machine if SITE_URL is a loopback address',
  DESK_MAIL: 'MAINTAINER_EMAIL gets these e-mails',
  OFFICE_KEY: 'use the option --key',
  OFFICE_URL: 'use the option --office',
  SMTP_CA_FILE: 'add ?ca=FILE to SMTP_URL',
};

/** In our file any unknown name is a mistake; in the environment, only a near miss of a variable that is not set. */
export function reportUnknownNames(
  reader: EnvironmentReader,
  environment: Environment,
  file: Environment,
): void {
  const known = [...reader.names].filter(({ length }) => length >= SHORTEST_NAME);
  const inFile = listSetNames(file);
  for (const name of new Set([...inFile, ...listSetNames(environment)])) {
    const replacement = Object.hasOwn(replacedNames, name) ? replacedNames[name] : undefined;
    if (replacement) reader.addReplacedName(name, replacement);
    if (replacement || reader.names.has(name)) continue;
    const written = name.toUpperCase();
    const nearest = findNearestName(
      written,
      known.filter((each) => each[0] === written[0]),
    );
    if (inFile.includes(name) || (nearest && reader.readText(nearest) === undefined))
      reader.addUnknownName(name, nearest);
  }
}

function listSetNames(variables: Environment): string[] {
  return Object.keys(variables).filter((name) => variables[name]?.trim());
}

/** Finds the known name that this one may be a typo of. */
export function findNearestName(
  written: string,
  known: readonly string[],
  leastSlips = 0,
): string | undefined {
  const getAllowedSlips = (name: string) =>
    Math.max(leastSlips, Math.floor(name.length / CHARACTERS_PER_SLIP));
  const near = known
    // Also avoids comparing a very long name.
    .filter((each) => Math.abs(each.length - written.length) <= getAllowedSlips(each))
    .map((each) => ({ each, slips: countSlips(written, each) }))
    .filter(({ each, slips }) => slips <= getAllowedSlips(each))
    .toSorted((one, other) => one.slips - other.slips);
  return near[0]?.each;
}

/** Characters missing, too many, or swapped with their neighbour; a wrong one counts as a missing and an extra one. */
function countSlips(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const [above = [], before = []] = [rows[row - 1], rows[row - 2]];
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        isSame ? above[column - 1]! : Number.POSITIVE_INFINITY,
        isSwapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(current);
  }
  return rows.at(-1)!.at(-1)!;
}
