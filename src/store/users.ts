/** Users: people who let clients act for them, found by the address or words they signed in with. */
import type { Insertable, Selectable } from 'kysely';
import { revokeAllUserGrants } from './grants.ts';
import type { Records, Tables } from './tables.ts';

export type User = Selectable<Tables['users']>;

/** An address or words, as the tag of one or the other. */
type UserTags = Pick<Insertable<Tables['users']>, 'address_tag' | 'words_tag'>;

/** Returns the id of the user with the same address or words; inserts the given user if there is none. */
export async function findOrCreateUser(records: Records, user: Insertable<Tables['users']>): Promise<string> {
  await records
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const id = await findUserId(records, user);
  if (id === null) throw new Error('the user was not stored');
  return id;
}

/** Returns null if nobody has signed in with this address or these words. */
export async function findUserId(
  records: Records,
  { address_tag, words_tag = null }: UserTags,
): Promise<string | null> {
  const row = await records
    .selectFrom('users')
    .select('id')
    .where((where) =>
      address_tag ? where('address_tag', '=', address_tag) : where('words_tag', '=', words_tag),
    )
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function findUser(records: Records, id: string): Promise<User | undefined> {
  return await records.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Called when the case with these words is purged: nobody could sign in with them to end a grant. */
export async function deleteUserByWordsTag(records: Records, wordsTag: string): Promise<void> {
  const id = await findUserId(records, { words_tag: wordsTag });
  if (id === null) return;
  await revokeAllUserGrants(records, id);
  await records.deleteFrom('users').where('id', '=', id).execute();
}
