/** The people of an office as the investigator last confirmed them: notes are sealed to nobody else. */
import { type RememberedPerson, readPeople, savePeople } from '#desk-program/keys/people-file.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import type { AgeRecipient } from '#seal/age.ts';
import type { DeskPersonView, DeskSession } from '#wire/desk-session.ts';
import { OfficeFault, type PeopleChange } from './office.ts';

/** At the first sign-in everybody else is new; whoever works alone has nobody to compare. */
export async function comparePeople(
  key: PinFile,
  origin: string,
  { holder, people }: Pick<DeskSession, 'holder' | 'people'>,
): Promise<PeopleChange | null> {
  const remembered = await readPeople(key, origin);
  const known = remembered ?? people.filter((person) => person.holder === holder);
  const came = listOthers(people, known);
  const went = listOthers(known, people);
  if (came.length + went.length > 0) return { came, went, isFirst: remembered === null };
  if (remembered === null) await savePeople(key, origin, people);
  return null;
}

export async function requireConfirmedPeople(
  key: PinFile,
  origin: string,
  session: Pick<DeskSession, 'holder' | 'people'>,
): Promise<AgeRecipient[]> {
  const change = await comparePeople(key, origin, session);
  if (change === null) return session.people.map(({ recipient }) => recipient);
  const went = change.went.map((person) => `${formatPerson(person)} is gone`);
  const came = change.came.map((person) => `${formatPerson(person)} is new`);
  throw new OfficeFault(
    'people_changed',
    `The people of the office are not those that you know (${[...came, ...went].join(', ')}), so the note was not sealed. If you expect that, confirm it first.`,
  );
}

/** Somebody may have come while the investigator was reading. */
export function requireShownPeople(people: readonly DeskPersonView[], shown: readonly string[]): void {
  const isShown = people.length === shown.length && people.every(({ holder }) => shown.includes(holder));
  if (isShown) return;
  throw new OfficeFault(
    'people_changed',
    'The people of the office have changed again meanwhile. Look once more.',
  );
}

function listOthers<Person extends RememberedPerson>(
  people: readonly Person[],
  known: readonly RememberedPerson[],
): Person[] {
  return people.filter(({ holder }) => known.every((each) => each.holder !== holder));
}

function formatPerson({ name, holder }: RememberedPerson): string {
  return name ?? `the key ${holder.slice(0, 8)}…`;
}
