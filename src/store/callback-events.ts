/** Events that wait to be sent to a callback: claimed under a lease, sent at least once. */
import type { Selectable } from 'kysely';
import type { EventKind } from './column-values.ts';
import { prepareInsert } from './prepared.ts';
import type { Records, Tables } from './tables.ts';

export type CallbackEvent = Selectable<Tables['callback_events']>;

export const insertCallbackEvent = prepareInsert('callback_events');

/** Asked without a lock first, because there is usually none. */
export async function hasDueCallbackEvents(
  records: Records,
  kinds: readonly EventKind[],
  now: number,
): Promise<boolean> {
  const due = await records
    .selectFrom('callback_events')
    .select('id')
    .where('kind', 'in', kinds)
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

interface EventClaim {
  readonly kinds: readonly EventKind[];
  readonly now: number;
  readonly until: number;
  readonly limit: number;
}

/** Claims due events, including those whose lease has ended. */
export async function claimCallbackEvents(
  records: Records,
  { kinds, now, until, limit }: EventClaim,
): Promise<CallbackEvent[]> {
  const due = records
    .selectFrom('callback_events')
    .select('id')
    .where('kind', 'in', kinds)
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  return await records
    .updateTable('callback_events')
    .set({ claimed_until: until })
    .where('id', 'in', due)
    // Repeated outside the subquery: under READ COMMITTED, PostgreSQL re-checks only the row.
    .where('claimed_until', '<=', now)
    .returningAll()
    .execute();
}

/** Releases an event for a later attempt. */
export async function postponeCallbackEvent(
  records: Records,
  { id, attempts, dueAt }: { readonly id: string; readonly attempts: number; readonly dueAt: number },
): Promise<void> {
  await records
    .updateTable('callback_events')
    .set({ attempts, due_at: dueAt, claimed_until: 0 })
    .where('id', '=', id)
    .execute();
}

export async function deleteCallbackEvent(records: Records, id: string): Promise<void> {
  await records.deleteFrom('callback_events').where('id', '=', id).execute();
}
