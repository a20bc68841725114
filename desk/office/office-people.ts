/** The colleagues and recovery key that the investigator last confirmed: notes and refunds are sealed only to them. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { type RememberedKind, readRemembered, saveRemembered } from '#desk/keys/remembered-file.ts';
import type { AgeRecipient } from '#seal/core/age.ts';
import { formatKeyFingerprint } from '#seal/core/case-key.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { DeskPersonView, DeskSession } from '#wire/desk-session.ts';
import { OfficeFault } from './office-fault.ts';

export interface OfficeSession extends Pick<DeskSession, 'holder' | 'office'> {
  readonly people: readonly DeskPersonView[];
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

/** Compares the people of a new session with those that the investigator has confirmed. */
export async function reviewPeople(
  key: PinFile,
  origin: string,
  session: SessionPeople,
): Promise<Pick<OfficeSession, 'known' | 'peopleChange'>> {
  const remembered = await readPeople(key, origin);
  const peopleChange = comparePeople(remembered, session);
  const { holder: own, people, recovery } = session;
  const isWhole = remembered?.people.every(({ role }) => role !== undefined) && remembered.recovery !== null;
  // One's own key, or what earlier versions did not save, needs no confirmation. A failure is ignored and the next
  // sign-in retries: commands also work with a key in a read-only folder.
  if (peopleChange === null && !isWhole)
    await savePeople(key, origin, { people, recovery: computeInvestigatorId(recovery) }).catch(
      () => undefined,
    );
  // A hostile service could attach a name to another key, so names must be confirmed, except that of one's own key.
  const others = listOthers(people, remembered?.people ?? []).map((person) =>
    person.holder === own ? person : { holder: person.holder, name: null },
  );
  return { known: [...(remembered?.people ?? []), ...others], peopleChange };
}

/** At the first sign-in all colleagues are new, but the recovery key is accepted as it is. */
function comparePeople(
  remembered: RememberedPeople | null,
  { holder, people, recovery }: SessionPeople,
): PeopleChange | null {
  const known = remembered?.people ?? people.filter((person) => person.holder === holder);
  const isOtherRecovery = (remembered?.recovery ?? null) !== null && !isKnownRecovery(remembered, recovery);
  const came = listOthers(people, known);
  const went = listOthers(known, people);
  const changed = people.flatMap((person): ChangedPerson[] => {
    const before = known.find((each) => each.holder === person.holder);
    if (!before) return [];
    const isSameRole = before.role === undefined || before.role === person.role;
    return before.name === person.name && isSameRole ? [] : [{ ...person, before }];
  });
  if (came.length + went.length + changed.length === 0 && !isOtherRecovery) return null;
  const other = isOtherRecovery ? computeInvestigatorId(recovery) : null;
  return { came, went, changed, recovery: other, isFirst: remembered === null };
}

function isKnownRecovery(remembered: RememberedPeople | null, recovery: AgeRecipient): boolean {
  return remembered?.recovery === computeInvestigatorId(recovery);
}

export async function requireConfirmedPeople(
  key: PinFile,
  origin: string,
  session: SessionPeople,
): Promise<AgeRecipient[]> {
  const change = comparePeople(await readPeople(key, origin), session);
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
      ({ before, name, role }) =>
        `Changed: ${formatPerson(before)} is now ${name ?? 'without a name'}, ${role}.`,
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

export function formatInvestigatorKey(holder: string): string {
  return formatKeyFingerprint(Buffer.from(holder, 'base64url'));
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

export interface RememberedPerson {
  /** The hash of their public key. */
  readonly holder: string;
  readonly name: string | null;
  /** Files of versions before 1.0.0 have none. */
  readonly role?: DeskPersonView['role'];
}

export interface RememberedPeople {
  readonly people: readonly RememberedPerson[];
  /** The hash of the public recovery key; null in files of versions before 1.0.0. */
  readonly recovery: string | null;
}

type Entry = Omit<RememberedPerson, 'role'> & { readonly role?: RememberedPerson['role'] | 'recovery' };

const PEOPLE: RememberedKind = {
  ending: 'people',
  format: 'inquiry-office people 1',
  loss: 'the desk then shows all people as new.',
};

/** Null if the key was never used at this office. */
export async function readPeople(key: PinFile, origin: string): Promise<RememberedPeople | null> {
  const entries = await readRemembered<readonly Entry[]>(key, PEOPLE, origin);
  if (entries === null) return null;
  return {
    people: entries.filter((entry): entry is RememberedPerson => entry.role !== 'recovery'),
    recovery: entries.find(({ role }) => role === 'recovery')?.holder ?? null,
  };
}

export async function savePeople(
  key: PinFile,
  origin: string,
  { people, recovery }: RememberedPeople,
): Promise<void> {
  const entries: Entry[] = people.map(({ holder, name, role }) => ({ holder, name, role }));
  if (recovery !== null) entries.push({ holder: recovery, name: null, role: 'recovery' });
  await saveRemembered(key, PEOPLE, origin, entries);
}
