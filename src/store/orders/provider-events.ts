/** The ledger of processed provider events, by tag and day, so that each takes effect only once. */
import { cutToDay } from '#platform/text/day.ts';
import { findRow, insertIfNew } from '../engine/selected-rows.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Records } from '../schema/tables.ts';

/** Tagged, because the provider's ids begin with their time and lead to the payer. */
export function computeEventTag(keyring: Keyring, eventId: string): string {
  return keyring.tag('provider event', eventId);
}

export async function recordProviderEvent(records: Records, tag: string, now: number): Promise<void> {
  await insertIfNew(records, 'provider_events', { id: tag, seen_at: cutToDay(now) });
}

export async function isProviderEventRecorded(records: Records, tag: string): Promise<boolean> {
  return (await findRow(records, 'provider_events', { id: tag })) !== undefined;
}
