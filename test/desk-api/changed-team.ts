/** What changes at a running office: its people, in the file that its configuration names, and who registers. */
import { writeFile } from 'node:fs/promises';
import { computeRecipientSetTag } from '#cases/sealing/sealing-keys.ts';
import type { NewRegistration } from '#clients/registration.ts';
import { openCaseKey } from '#seal/core/case-key.ts';
import { findCaseToReseal } from '#store/cases/case-keys.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import type { TestApp } from '#test/test-app.ts';

export const SAMPLE_REGISTRATION: NewRegistration = {
  name: 'An agent',
  contact: 'agent@example.org',
  identityType: 'email',
  credentials: 'bearer',
  redirectUris: [],
};

export interface NewcomerLine {
  readonly name: string;
  readonly role: 'owner' | 'investigator';
  readonly recipient: string;
}

export function formatTeam(team: readonly NewcomerLine[]): string {
  return team.map(({ name, role, recipient }) => `${name} ${role} ${recipient}\n`).join('');
}

/** Returns the tag of the recipient set for which the office is then configured. */
export async function writeOfficeTeam(
  { peopleFile, services }: Pick<TestApp, 'services'> & { readonly peopleFile: string },
  team: readonly NewcomerLine[],
): Promise<string> {
  await writeFile(peopleFile, formatTeam(team));
  const { recovery } = await services.sealingKeys;
  return computeRecipientSetTag({ desk: team.map(({ recipient }) => recipient), recovery });
}

/** Whether the stored key of a case opens with this one. */
export async function canOpenStoredKey(
  { store }: Pick<TestApp, 'store'>,
  id: string,
  { identity }: { readonly identity: string },
): Promise<boolean> {
  const record = (await findCaseToReseal(store.records, id))!;
  const sealed = (await readCaseKey(store, record))!;
  return await openCaseKey(sealed, identity, record.lookup_hash).then(
    () => true,
    () => false,
  );
}
