/** The ledger of processed provider events, by tag and day, so that each takes effect only once. */
import { cutToDay } from '#platform/day.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { Keyring } from './keyring.ts';
import type { Records } from './tables.ts';

/** The provider resends an event for three days, and on request for thirty. */
const LEDGER_DAYS = 30;

/** The provider's ids begin with their time, and lead to the payer. */
export function computeEventTag(keyring: Keyring, eventId: string): string {
  return keyring.tag('provider event', eventId);
}

/** Returns false if the event was already recorded. */
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

export async function deleteOldProviderEvents(records: Records, now: number): Promise<void> {
  const before = cutToDay(now) - LEDGER_DAYS * DAY_MS;
  await records.deleteFrom('provider_events').where('seen_at', '<', before).execute();
}
