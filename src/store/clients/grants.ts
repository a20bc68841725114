/** Grants: what a person allowed a client. They are stored among the tokens that are revoked with them. */
import { findRow } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import { revokeGrant } from './tokens.ts';

export interface UserGrant {
  readonly id: string;
  readonly payload: string;
  readonly clientId: string;
  readonly clientName: string;
}

/** Newest first. Leaves out grants without a usable token, which no longer permit anything. */
export async function listUserGrants(
  records: Records,
  userId: string,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<UserGrant[]> {
  return await records
    .selectFrom('tokens as grant')
    .innerJoin('clients as client', 'client.id', 'grant.client_id')
    .select(['grant.id', 'grant.payload', 'client.id as clientId', 'client.name as clientName'])
    .where('grant.user_id', '=', userId)
    .where('grant.kind', '=', 'Grant')
    .where('grant.expires_at', '>', now)
    .where((where) =>
      where.exists(
        where
          .selectFrom('tokens as token')
          .select('token.id')
          .whereRef('token.grant_id', '=', 'grant.grant_id')
          .where('token.kind', '!=', 'Grant')
          .where('token.consumed_at', 'is', null)
          .where('token.expires_at', '>', now),
      ),
    )
    // All grants have the same lifetime, so this is by age.
    .orderBy('grant.expires_at', 'desc')
    .orderBy('grant.id')
    .limit(limit)
    .execute();
}

/** Revokes all tokens of the grant. Returns false if this user has no such grant. */
export async function revokeUserGrant(records: Records, userId: string, id: string): Promise<boolean> {
  const grant = await findRow(records, 'tokens', { id, user_id: userId, kind: 'Grant' });
  if (!grant?.grant_id) return false;
  await revokeGrant(records, grant.grant_id);
  return true;
}

export async function revokeAllUserGrants(records: Records, userId: string): Promise<void> {
  const grants = records
    .selectFrom('tokens')
    .select('grant_id')
    .where('user_id', '=', userId)
    .where('kind', '=', 'Grant');
  await records.deleteFrom('tokens').where('grant_id', 'in', grants).execute();
}
