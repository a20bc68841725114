/** Users: people who let clients act for them, found by the address or words they signed in with. */
import type { Insertable, Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type User = Selectable<Tables['users']>;

/** Returns the id of the user with the same address or words; inserts the given user if there is none. */
export async function findOrCreateUser(records: Records, user: Insertable<Tables['users']>): Promise<string> {
  await records
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await records
    .selectFrom('users')
    .select('id')
    .where((where) =>
      user.address_tag
        ? where('address_tag', '=', user.address_tag)
        : where('words_tag', '=', user.words_tag ?? null),
    )
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findUser(records: Records, id: string): Promise<User | undefined> {
  return await records.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Called when the case with these words is purged. */
export async function deleteUserByWordsTag(records: Records, wordsTag: string): Promise<void> {
  await records.deleteFrom('users').where('words_tag', '=', wordsTag).execute();
}
