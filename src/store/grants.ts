/** Grants: what a person allowed a client, once. They are stored among the tokens that are revoked with them. */
import type { Records } from './tables.ts';
import type { TokenRecord } from './tokens.ts';

/** The grant that a token was issued for; undefined for a token of the client itself. */
export async function findGrantByToken(records: Records, tokenId: string): Promise<TokenRecord | undefined> {
  return await records
    .selectFrom('tokens as token')
    .innerJoin('tokens as grant', 'grant.grant_id', 'token.grant_id')
    .selectAll('grant')
    .where('token.id', '=', tokenId)
    .where('grant.kind', '=', 'Grant')
    .executeTakeFirst();
}
