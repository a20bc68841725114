/** Events that wait to be sent to a webhook: claimed under a lease, sent at least once. */
import type { Selectable } from 'kysely';
import { prepareInsert } from '../engine/prepared.ts';
import { countSelected, deleteRows, findRow, updateRows } from '../engine/selected-rows.ts';
import type { EventKind } from '../schema/column-values.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type WebhookEvent = Selectable<Tables['webhook_events']>;

export const insertWebhookEvent = prepareInsert('webhook_events');

export interface DueEvents {
  readonly kinds: readonly EventKind[];
  readonly now: number;
  /** Queues whose client is being notified at the moment. */
  readonly busyTags?: readonly string[];
}

export function createDueEventQuery(records: Records, { kinds, now, busyTags = [] }: DueEvents) {
  return records
    .selectFrom('webhook_events')
    .select('id')
    .where('kind', 'in', kinds)
    .where('due_at', '<=', now)
    .where('ends_at', '>', now)
    .where('claimed_until', '<=', now)
    .$if(busyTags.length > 0, (query) => query.where('queue_tag', 'not in', busyTags));
}

/** Checked without a lock first, because there is usually none. */
export async function hasDueWebhookEvents(records: Records, due: DueEvents): Promise<boolean> {
  return (await createDueEventQuery(records, due).limit(1).executeTakeFirst()) !== undefined;
}

/** Claims the event that has waited longest, or one whose lease has ended. */
export async function claimWebhookEvent(
  records: Records,
  { until, ...due }: DueEvents & { readonly until: number },
): Promise<WebhookEvent | undefined> {
  return await records
    .updateTable('webhook_events')
    .set({ claimed_until: until })
    .where('id', 'in', createDueEventQuery(records, due).orderBy('due_at').limit(1))
    // Repeated outside the subquery: under READ COMMITTED, PostgreSQL re-checks only the row.
    .where('claimed_until', '<=', due.now)
    .returningAll()
    .executeTakeFirst();
}

/** Returns false if the event has been removed since it was claimed. */
export async function isWebhookEventClaimed(
  records: Records,
  { id, claimed_until: until }: Pick<WebhookEvent, 'id' | 'claimed_until'>,
): Promise<boolean> {
  return (await findRow(records, 'webhook_events', { id, claimed_until: until })) !== undefined;
}

/** Releases an event for a later attempt. */
export async function postponeWebhookEvent(
  records: Records,
  { id, attempts, dueAt }: { readonly id: string; readonly attempts: number; readonly dueAt: number },
): Promise<void> {
  await updateRows(records, 'webhook_events', { id }, { attempts, due_at: dueAt, claimed_until: 0 });
}

export async function deleteWebhookEvent(records: Records, id: string): Promise<void> {
  await deleteRows(records, 'webhook_events', { id });
}

export async function countQueuedEvents(records: Records, queueTag: string): Promise<number> {
  return await countSelected(records.selectFrom('webhook_events').where('queue_tag', '=', queueTag));
}

/** Postpones only those that would be due earlier. */
export async function postponeQueuedEvents(records: Records, queueTag: string, dueAt: number): Promise<void> {
  await records
    .updateTable('webhook_events')
    .set({ due_at: dueAt })
    .where('queue_tag', '=', queueTag)
    .where('due_at', '<', dueAt)
    .execute();
}

export async function deleteQueuedEvents(records: Records, queueTags: readonly string[]): Promise<void> {
  await records.deleteFrom('webhook_events').where('queue_tag', 'in', queueTags).execute();
}
