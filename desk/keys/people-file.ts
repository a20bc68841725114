/** The file beside a desk key that remembers who worked at an office, by which name and in which role, when the investigator last confirmed it. */
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

const PEOPLE: RememberedKind = {
  ending: 'people',
  format: 'inquiry-office people 1',
  loss: 'the desk then shows all people as new.',
};

/** Null if the key was never used at this office. */
export async function readPeople(key: PinFile, origin: string): Promise<readonly RememberedPerson[] | null> {
  return await readRemembered(key, PEOPLE, origin);
}

export async function savePeople(
  key: PinFile,
  origin: string,
  people: readonly RememberedPerson[],
): Promise<void> {
  const entries = people.map(({ holder, name, role }) => ({ holder, name, role }));
  await saveRemembered(key, PEOPLE, origin, () => entries);
}
