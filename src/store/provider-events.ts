/** The ledger of processed provider events, so that each takes effect only once. */
import type { Records } from './tables.ts';

/** Returns false if the event was already recorded. */
export async function recordProviderEvent(records: Records, id: string, now: number): Promise<boolean> {
  const row = await records
    .insertInto('provider_events')
    .values({ id, seen_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function isProviderEventRecorded(records: Records, id: string): Promise<boolean> {
  const row = await records
    .selectFrom('provider_events')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteOldProviderEvents(records: Records, before: number): Promise<void> {
  await records.deleteFrom('provider_events').where('seen_at', '<', before).execute();
}
