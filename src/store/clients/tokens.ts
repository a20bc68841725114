/** Tokens, codes and grants: found by the hash of their value, consumed once, revoked together by grant. */
import { hash } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import { prepareQuery } from '../engine/prepared.ts';
import {
  chooseRows,
  deleteBy,
  deleteSelected,
  findRow,
  insertIfNew,
  updateRows,
  upsertRow,
} from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type TokenRecord = Selectable<Tables['tokens']>;

/** Only the hash is stored, so a copy of the database contains no usable token. */
export function hashTokenValue(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** Only the engine's sign-ins are ever updated, and their kind, client and grant do not change. */
export async function upsertToken(records: Records, token: TokenRecord): Promise<void> {
  const { payload, consumed_at, expires_at } = token;
  await upsertRow(records, 'tokens', 'id', token, { payload, consumed_at, expires_at });
}

/** Returns false if it already exists; used to detect replays. */
export async function insertTokenOnce(
  records: Records,
  token: Insertable<Tables['tokens']>,
): Promise<boolean> {
  return await insertIfNew(records, 'tokens', token);
}

const findWithGrant = prepareQuery<Pick<TokenRecord, 'id' | 'kind'>, TokenRecord>((records, { id, kind }) =>
  records
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', kind)
    .unionAll(
      records
        .selectFrom('tokens as token')
        .innerJoin('tokens as grant', 'grant.grant_id', 'token.grant_id')
        .innerJoin('users', 'users.id', 'grant.user_id')
        .selectAll('grant')
        .where('token.id', '=', id)
        .where('token.kind', '=', kind)
        .where('grant.kind', '=', 'Grant'),
    ),
);

/** Returns the token, and the grant that it was issued for if that grant and its user still exist. */
export async function findToken(
  records: Records,
  kind: string,
  id: string,
): Promise<{ readonly token: TokenRecord | undefined; readonly grant: TokenRecord | undefined }> {
  const rows = await findWithGrant(records, { id, kind });
  return { token: rows.find((row) => row.kind === kind), grant: rows.find((row) => row.kind !== kind) };
}

export async function findTokenByUid(
  records: Records,
  kind: string,
  uidHash: string,
): Promise<TokenRecord | undefined> {
  return await findRow(records, 'tokens', { uid_hash: uidHash, kind });
}

/** Returns false if the token was already used. */
export async function consumeToken(records: Records, id: string, now: number): Promise<boolean> {
  return await updateRows(records, 'tokens', { id, consumed_at: null }, { consumed_at: now });
}

/** Ends the whole grant of a token used twice: one of its two users stole it (RFC 6749 §4.1.2, RFC 9700 §4.14.2). */
export async function revokeUsedToken(records: Records, id: string): Promise<void> {
  const grants = chooseRows(records, 'tokens', { id }).select('grant_id');
  await records.deleteFrom('tokens').where('grant_id', 'in', grants).execute();
}

export const deleteToken = deleteBy('tokens', 'id');

/**
 * Deletes the oldest sign-ins in which no person has signed in or had a code sent; returns their number. The condition
 * on their kind is spelled as in the partial index, which SQLite would not use otherwise.
 */
export async function deleteAbandonedSignIns(records: Records, limit: number): Promise<number> {
  const abandoned = records
    .selectFrom('tokens')
    .select('id')
    .where(sql<boolean>`kind in ('Interaction', 'Session') and kind = 'Interaction'`)
    .where('uid_hash', 'is not', null)
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('sign_in_codes').select('tries_left').whereRef('sign_in_tag', '=', 'uid_hash'),
        ),
      ),
    )
    .orderBy('expires_at')
    .limit(limit);
  return await deleteSelected(records, 'tokens', 'id', abandoned);
}

export const revokeGrant = deleteBy('tokens', 'grant_id');

/** Grants and refresh tokens stay: they are useless without the client's secret. Returns how many were deleted. */
export async function deleteClientAccessTokens(
  records: Records,
  clientId: string,
  limit: number,
): Promise<number> {
  const kind = ['in', ['AccessToken', 'ClientCredentials', 'AuthorizationCode']] as const;
  const access = chooseRows(records, 'tokens', { client_id: clientId, kind }, { limit }).select('id');
  return await deleteSelected(records, 'tokens', 'id', access);
}

type AccessToken = Pick<TokenRecord, 'payload' | 'expires_at'>;

const findAccess = prepareQuery<Pick<TokenRecord, 'id'>, AccessToken>((records, { id }) =>
  records
    .selectFrom('tokens as token')
    .innerJoin('clients as client', 'client.id', 'token.client_id')
    .leftJoin('tokens as grant', (join) =>
      join.onRef('grant.grant_id', '=', 'token.grant_id').on('grant.kind', '=', 'Grant'),
    )
    .select(['token.payload', 'token.expires_at'])
    .where('token.id', '=', id)
    .where('token.kind', 'in', ['AccessToken', 'ClientCredentials'])
    .where('client.status', '=', 'active')
    .where((where) => where.or([where('token.grant_id', 'is', null), where('grant.id', 'is not', null)])),
);

/** Finds a token for the API if its client is active and its grant still exists; queried for every request. */
export async function findAccessToken(records: Records, id: string): Promise<AccessToken | undefined> {
  return (await findAccess(records, { id }))[0];
}

export type UserGrant = Awaited<ReturnType<typeof listUserGrants>>[number];

/** Newest first. Leaves out grants without a usable token, which no longer permit anything. */
export async function listUserGrants(
  records: Records,
  userId: string,
  { now, limit }: { readonly now: number; readonly limit: number },
) {
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
  const grants = chooseRows(records, 'tokens', { user_id: userId, kind: 'Grant' }).select('grant_id');
  await records.deleteFrom('tokens').where('grant_id', 'in', grants).execute();
}
