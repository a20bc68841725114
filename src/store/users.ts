/** Users: people who let programs act for them, found by what they proved at sign-in. */
import type { Insertable, Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type User = Selectable<Tables['users']>;

/** The user with the same address or words; the new one becomes theirs if there was none. */
export async function findOrCreateUser(records: Records, user: Insertable<Tables['users']>): Promise<string> {
  await records
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const kept = await records
    .selectFrom('users')
    .select('id')
    .where((where) =>
      user.address_tag
        ? where('address_tag', '=', user.address_tag)
        : where('words_tag', '=', user.words_tag ?? null),
    )
    .executeTakeFirstOrThrow();
  return kept.id;
}

export async function findUser(records: Records, id: string): Promise<User | undefined> {
  return await records.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whoever signed in with the words of a case that is purged. */
export async function deleteUserByWordsTag(records: Records, wordsTag: string): Promise<void> {
  await records.deleteFrom('users').where('words_tag', '=', wordsTag).execute();
}
