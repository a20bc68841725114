/** The ledger of processed provider events, by tag and day, so that each takes effect only once. */

import { cutToDay } from '#platform/text/day.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Records } from '../schema/tables.ts';

/** Tagged, because the provider's ids begin with their time and lead to the payer. */
export function computeEventTag(keyring: Keyring, eventId: string): string {
  return keyring.tag('provider event', eventId);
}

export async function recordProviderEvent(records: Records, tag: string, now: number): Promise<void> {
  await records
    .insertInto('provider_events')
    .values({ id: tag, seen_at: cutToDay(now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function isProviderEventRecorded(records: Records, tag: string): Promise<boolean> {
  const row = await records
    .selectFrom('provider_events')
    .select('id')
    .where('id', '=', tag)
    .executeTakeFirst();
  return row !== undefined;
}
