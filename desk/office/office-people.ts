/** The colleagues and recovery key that the investigator last confirmed: notes and refunds are sealed only to them. */
import {
  type RememberedPeople,
  type RememberedPerson,
  readPeople,
  savePeople,
} from '#desk/keys/people-file.ts';
import type { PinFile } from '#desk/keys/pin-file.ts';
import type { AgeRecipient } from '#seal/core/age.ts';
import { formatKeyFingerprint } from '#seal/core/case-key.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { DeskPersonView, DeskSession } from '#wire/desk-session.ts';
import { OfficeFault } from './office-fault.ts';

export interface OfficeSession extends Pick<DeskSession, 'holder' | 'office'> {
  readonly people: readonly DeskPersonView[];
  /** The hash of the public recovery key. */
  readonly recovery: string;
  /** Everyone known, under the name that the investigator has confirmed, or without a name. */
  readonly known: readonly RememberedPerson[];
  /** Who has joined, left or been renamed since the people were last confirmed; null if nothing changed. */
  readonly peopleChange: PeopleChange | null;
}

export interface PeopleChange {
  readonly came: readonly DeskPersonView[];
  readonly went: readonly RememberedPerson[];
  /** The same key with another name or role. */
  readonly changed: readonly ChangedPerson[];
  /** The hash of a recovery key that replaces the known one; null if it is the same. */
  readonly recovery: string | null;
  /** No people of this office were ever confirmed. */
  readonly isFirst: boolean;
}

interface ChangedPerson extends DeskPersonView {
  readonly before: RememberedPerson;
}

type SessionPeople = Pick<DeskSession, 'holder' | 'people' | 'recovery'>;

/** At the first sign-in all colleagues are new, but the recovery key is accepted as it is. */
export async function comparePeople(
  key: PinFile,
  origin: string,
  { holder, people, recovery }: SessionPeople,
): Promise<PeopleChange | null> {
  const remembered = await readPeople(key, origin);
  const known = remembered?.people ?? people.filter((person) => person.holder === holder);
  const isOtherRecovery = (remembered?.recovery ?? null) !== null && !isKnownRecovery(remembered, recovery);
  const came = listOthers(people, known);
  const went = listOthers(known, people);
  const changed = people.flatMap((person): ChangedPerson[] => {
    const before = known.find((each) => each.holder === person.holder);
    return before && isCalledOtherwise(before, person) ? [{ ...person, before }] : [];
  });
  if (came.length + went.length + changed.length === 0 && !isOtherRecovery) return null;
  const other = isOtherRecovery ? computeInvestigatorId(recovery) : null;
  return { came, went, changed, recovery: other, isFirst: remembered === null };
}

function isKnownRecovery(remembered: RememberedPeople | null, recovery: AgeRecipient): boolean {
  return remembered?.recovery === computeInvestigatorId(recovery);
}

/** Saves what needs no confirmation: the investigator's own key, or what earlier versions did not save. */
export async function saveKnownPeople(
  key: PinFile,
  origin: string,
  { people, recovery }: SessionPeople,
): Promise<void> {
  const remembered = await readPeople(key, origin);
  const isWhole =
    remembered?.people.every(({ role }) => role !== undefined) === true && remembered.recovery !== null;
  if (!isWhole) await savePeople(key, origin, { people, recovery: computeInvestigatorId(recovery) });
}

/** A hostile service could attach a name to another key, so names must be confirmed, except that of one's own key. */
export async function listKnownPeople(
  key: PinFile,
  origin: string,
  { holder, people }: SessionPeople,
): Promise<RememberedPerson[]> {
  const remembered = (await readPeople(key, origin))?.people ?? [];
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
  throw new OfficeFault(
    'people_changed',
    `You have not confirmed the current people of the office, so the note was not sealed. ${describePeopleChange(change).join(' ')} If the list is right, confirm it first.`,
  );
}

/** One sentence per change, with names as the office reports them. */
export function describePeopleChange({ came, went, changed, recovery, isFirst }: PeopleChange): string[] {
  return [
    ...came.map((person) => `${isFirst ? 'Listed' : 'Joined'}: ${formatPerson(person)}, ${person.role}.`),
    ...went.map((person) => `Left: ${formatPerson(person)}.`),
    ...changed.map(
      (person) => `Changed: ${formatPerson(person.before)} is now ${formatNameAndRole(person)}.`,
    ),
    ...(recovery === null
      ? []
      : [`A different recovery key: ${formatInvestigatorKey(recovery)}. Compare it with the operator’s.`]),
  ];
}

/** The investigator's key and all confirmed keys, for content that must be sealed before others are confirmed. */
export async function listConfirmedRecipients(
  key: PinFile,
  origin: string,
  { holder: own, people, recovery }: SessionPeople,
): Promise<AgeRecipient[]> {
  const remembered = await readPeople(key, origin);
  const isKnown = (holder: string) => remembered?.people.some((known) => known.holder === holder) === true;
  const confirmed = people.filter(({ holder }) => holder === own || isKnown(holder));
  return [
    ...confirmed.map(({ recipient }) => recipient),
    ...(isKnownRecovery(remembered, recovery) ? [recovery] : []),
  ];
}

/** Everything about a person that the investigator confirms. */
export function formatShownPerson({ holder, role, name }: DeskPersonView): string {
  return JSON.stringify([holder, role, name]);
}

/** Everything that the investigator confirms: the people, and a recovery key that is not the known one. */
export function listShownPeople({
  people,
  peopleChange,
}: Pick<OfficeSession, 'people' | 'peopleChange'>): string[] {
  const recovery = peopleChange?.recovery ?? null;
  return [...people.map(formatShownPerson), ...(recovery === null ? [] : [`recovery ${recovery}`])];
}

/** A colleague may have joined, or been renamed, while the investigator was reading. */
export function requireShownPeople(
  session: Pick<OfficeSession, 'people' | 'peopleChange'>,
  shown: readonly string[],
): void {
  const present = listShownPeople(session);
  if (present.length === shown.length && present.every((each) => shown.includes(each))) return;
  throw new OfficeFault(
    'people_changed',
    'The people of the office have changed again in the meantime. Check them again.',
  );
}

function formatNameAndRole({ name, role }: Pick<DeskPersonView, 'name' | 'role'>): string {
  return `${name ?? 'without a name'}, ${role}`;
}

/** The digits of an investigator's key. */
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

export function formatPerson({ name, holder }: Pick<RememberedPerson, 'name' | 'holder'>): string {
  return `${name ?? 'a colleague without a name'} (key ${formatInvestigatorKey(holder)})`;
}
