/** Sign-in codes sent by e-mail: how many an address got, and how many guesses each code has left. */
import type { Insertable, Selectable } from 'kysely';
import { prepareFind } from '../engine/prepared.ts';
import { chooseRows, countMatching, deleteSelected, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type SignInCode = Selectable<Tables['sign_in_codes']>;

export async function countShortCodes(records: Records, addressTag: string, since: number): Promise<number> {
  const short = { address_tag: addressTag, created_at: ['>', since], long_code_id: null } as const;
  return await countMatching(records, 'sign_in_codes', short);
}

/** Finds the long code that was mailed to the address since then: the row that names itself as its long code. */
export async function findLongCodeId(
  records: Records,
  addressTag: string,
  since: number,
): Promise<string | null> {
  const recent = { address_tag: addressTag, created_at: ['>', since] } as const;
  const codes = chooseRows(records, 'sign_in_codes', recent).select('id');
  return (await codes.whereRef('long_code_id', '=', 'id').executeTakeFirst())?.id ?? null;
}

/** Invalidates the sign-in's earlier codes. */
export async function insertSignInCode(
  records: Records,
  code: Insertable<Tables['sign_in_codes']>,
): Promise<void> {
  await invalidateSignInCodes(records, code.sign_in_tag);
  await records.insertInto('sign_in_codes').values(code).execute();
}

/** Uses up one guess; returns undefined if none is left or the code has expired. */
export async function consumeSignInGuess(
  records: Records,
  signInTag: string,
  now: number,
): Promise<SignInCode | undefined> {
  return await records
    .updateTable('sign_in_codes')
    .set((row) => ({ tries_left: row('tries_left', '-', 1) }))
    .where('sign_in_tag', '=', signInTag)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Keeps the rows, because they still count towards the limit per address. */
export async function invalidateSignInCodes(records: Records, signInTag: string): Promise<void> {
  await updateRows(records, 'sign_in_codes', { sign_in_tag: signInTag }, { tries_left: 0 });
}

export const findSignInCode = prepareFind('sign_in_codes', 'id');

/** Deletes the oldest codes created before a time; returns their number. */
export async function deleteOldestSignInCodes(
  records: Records,
  before: number,
  limit: number,
): Promise<number> {
  const old = { created_at: ['<', before] } as const;
  const oldest = chooseRows(records, 'sign_in_codes', old, { by: 'created_at', limit }).select('id');
  return await deleteSelected(records, 'sign_in_codes', 'id', oldest);
}
