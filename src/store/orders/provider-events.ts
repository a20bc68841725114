/** The ledger of processed provider events, by tag and day, so that each takes effect only once. */

import { DAY_MS } from '#platform/durations.ts';
import { cutToDay } from '#platform/text/day.ts';
import { deleteSelected } from '../engine/delete-selected.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Records } from '../schema/tables.ts';

/** The provider resends an event for three days, and on request for thirty. */
const LEDGER_DAYS = 30;

/** The provider's ids begin with their time, and lead to the payer. */
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

/** Returns the number of deleted events. */
export async function deleteOldProviderEvents(records: Records, now: number, limit: number): Promise<number> {
  const before = cutToDay(now) - LEDGER_DAYS * DAY_MS;
  const old = records.selectFrom('provider_events').select('id').where('seen_at', '<', before).limit(limit);
  return await deleteSelected(records, 'provider_events', 'id', old);
}
