/** Ends everything that gave access when records were copied: what was revoked since must not come back. */
import type { Records } from './tables.ts';

export interface EndedAccess {
  readonly tokens: number;
  readonly codes: number;
  readonly offers: number;
}

export async function endEveryAccess(records: Records): Promise<EndedAccess> {
  const tokens = await records.deleteFrom('tokens').executeTakeFirst();
  const codes = await records.deleteFrom('sign_in_codes').executeTakeFirst();
  // The maintainer approves again, which makes a new offer; the program's own token would collect the old one.
  const offers = await records
    .updateTable('registrations')
    .set({ offer: null, offer_until: null, token_hash: null })
    .where('status', '=', 'approved')
    .executeTakeFirst();
  return {
    tokens: Number(tokens.numDeletedRows),
    codes: Number(codes.numDeletedRows),
    offers: Number(offers.numUpdatedRows),
  };
}
