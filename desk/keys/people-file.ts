/** The file beside a desk key that remembers the people and the recovery key of an office, as last confirmed. */
import type { DeskPersonView } from '#wire/desk-session.ts';
import type { PinFile } from './pin-file.ts';
import { type RememberedKind, readRemembered, saveRemembered } from './remembered-file.ts';

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
  await saveRemembered(key, PEOPLE, origin, () => entries);
}
