/** Users: people who let clients act for them, found by the address or words they signed in with. */
import type { Insertable, Selectable } from 'kysely';
import { prepareFind } from '../engine/prepared.ts';
import { deleteRows, findRow, insertIfNew } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { revokeAllUserGrants } from './tokens.ts';

export type User = Selectable<Tables['users']>;

/** The tag of an address or of words. */
export type UserTag = { readonly address_tag: string } | { readonly words_tag: string };

/** Returns the id of the user with the same address or words; inserts the given user if there is none. */
export async function findOrCreateUser(
  records: Records,
  tag: UserTag,
  user: Insertable<Tables['users']>,
): Promise<string> {
  const known = await findUserId(records, tag);
  if (known !== null) return known;
  await insertIfNew(records, 'users', user);
  const id = await findUserId(records, tag);
  if (id === null) throw new Error('the user was not stored');
  return id;
}

/** Returns null if no user has signed in with this address or these words. */
export async function findUserId(records: Records, tag: UserTag): Promise<string | null> {
  return (await findRow(records, 'users', tag))?.id ?? null;
}

export const findUser = prepareFind('users', 'id');

/** Also revokes everything that the user allowed. */
export async function deleteUser(records: Records, id: string): Promise<void> {
  await revokeAllUserGrants(records, id);
  await deleteRows(records, 'users', { id });
}
