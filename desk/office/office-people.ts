/** The colleagues whom the investigator last confirmed: notes are sealed to them alone, under these names. */
import { type RememberedPerson, readPeople, savePeople } from '#desk/keys/people-file.ts';
import type { PinFile } from '#desk/keys/pin-file.ts';
import type { AgeRecipient } from '#seal/core/age.ts';
import { formatKeyFingerprint } from '#seal/core/case-key.ts';
import type { DeskPersonView, DeskSession } from '#wire/desk-session.ts';
import { OfficeFault } from './office-fault.ts';

export interface OfficeSession extends Pick<DeskSession, 'holder' | 'office'> {
  readonly people: readonly DeskPersonView[];
  /** By the names that the investigator has confirmed; without a name if there is none. */
  readonly known: readonly RememberedPerson[];
  /** Who came, went or is called otherwise since the people were last confirmed; null if nothing changed. */
  readonly peopleChange: PeopleChange | null;
}

export interface PeopleChange {
  readonly came: readonly DeskPersonView[];
  readonly went: readonly RememberedPerson[];
  /** The same key with another name or role. */
  readonly changed: readonly ChangedPerson[];
  /** No people of this office were ever confirmed. */
  readonly isFirst: boolean;
}

interface ChangedPerson extends DeskPersonView {
  readonly before: RememberedPerson;
}

type SessionPeople = Pick<DeskSession, 'holder' | 'people'>;

/** At the first sign-in all colleagues are new; an investigator who works alone has no one to compare. */
export async function comparePeople(
  key: PinFile,
  origin: string,
  { holder, people }: SessionPeople,
): Promise<PeopleChange | null> {
  const remembered = await readPeople(key, origin);
  const known = remembered ?? people.filter((person) => person.holder === holder);
  const came = listOthers(people, known);
  const went = listOthers(known, people);
  const changed = people.flatMap((person): ChangedPerson[] => {
    const before = known.find((each) => each.holder === person.holder);
    return before && isCalledOtherwise(before, person) ? [{ ...person, before }] : [];
  });
  if (came.length + went.length + changed.length === 0) return null;
  return { came, went, changed, isFirst: remembered === null };
}

/** Of an office where nothing has changed: the investigator's key alone, or roles that were not written down yet. */
export async function saveKnownPeople(
  key: PinFile,
  origin: string,
  { people }: SessionPeople,
): Promise<void> {
  const remembered = await readPeople(key, origin);
  if (remembered?.every(({ role }) => role !== undefined) !== true) await savePeople(key, origin, people);
}

/** A hostile service could put a name to another key, so only confirmed names are used; one's own key needs none. */
export async function listKnownPeople(
  key: PinFile,
  origin: string,
  { holder, people }: SessionPeople,
): Promise<RememberedPerson[]> {
  const remembered = (await readPeople(key, origin)) ?? [];
  const others = listOthers(people, remembered);
  return [
    ...remembered,
    ...others.map((person) => (person.holder === holder ? person : { holder: person.holder, name: null })),
  ];
}

export async function requireConfirmedPeople(
  key: PinFile,
  origin: string,
  session: SessionPeople,
): Promise<AgeRecipient[]> {
  const change = await comparePeople(key, origin, session);
  if (change === null) return session.people.map(({ recipient }) => recipient);
  const parts = [
    ...change.came.map((person) => `${formatPerson(person)} is new`),
    ...change.went.map((person) => `${formatPerson(person)} is gone`),
    ...change.changed.map((person) => `${formatPerson(person.before)} is now ${formatNameAndRole(person)}`),
  ];
  throw new OfficeFault(
    'people_changed',
    `The people of the office are not those that you know (${parts.join(', ')}), so the note was not sealed. If you expect that, confirm it first.`,
  );
}

/** The own key and those of the people here who were confirmed: for what must be sealed while others are not yet. */
export async function listConfirmedRecipients(
  key: PinFile,
  origin: string,
  { holder: own, people }: SessionPeople,
): Promise<AgeRecipient[]> {
  const remembered = (await readPeople(key, origin)) ?? [];
  return people
    .filter(({ holder }) => holder === own || remembered.some((known) => known.holder === holder))
    .map(({ recipient }) => recipient);
}

/** All that the investigator is asked to confirm of a person. */
export function formatShownPerson({ holder, role, name }: DeskPersonView): string {
  return JSON.stringify([holder, role, name]);
}

/** A colleague may have come, or been renamed, while the investigator was reading. */
export function requireShownPeople(people: readonly DeskPersonView[], shown: readonly string[]): void {
  const isShown =
    people.length === shown.length && people.every((person) => shown.includes(formatShownPerson(person)));
  if (isShown) return;
  throw new OfficeFault(
    'people_changed',
    'The people of the office have changed again meanwhile. Look once more.',
  );
}

export function formatNameAndRole({ name, role }: Pick<DeskPersonView, 'name' | 'role'>): string {
  return `${name ?? 'without a name'}, ${role}`;
}

/** The digits of their key. */
export function formatInvestigatorKey(holder: string): string {
  return formatKeyFingerprint(Buffer.from(holder, 'base64url'));
}

function isCalledOtherwise(before: RememberedPerson, { name, role }: DeskPersonView): boolean {
  return before.name !== name || (before.role !== undefined && before.role !== role);
}

function listOthers<Person extends RememberedPerson>(
  people: readonly Person[],
  known: readonly RememberedPerson[],
): Person[] {
  return people.filter(({ holder }) => known.every((each) => each.holder !== holder));
}

function formatPerson({ name, holder }: RememberedPerson): string {
  return name === null
    ? `the key ${formatInvestigatorKey(holder)}`
    : `${name} (key ${formatInvestigatorKey(holder)})`;
}
