/** Webhooks, one for each client that wants to be notified of events, and the events that wait to be sent. */
import { type Selectable, sql } from 'kysely';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import {
  countMatching,
  deleteBy,
  deleteRows,
  findRow,
  updateBy,
  updateRows,
} from '../engine/selected-rows.ts';
import type { EventKind } from '../schema/column-values.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Webhook = Selectable<Tables['webhooks']>;

/** Written out, as in the partial index, which SQLite would not use otherwise. */
const isUnsettled = sql<boolean>`state in ('marking', 'ending')`;

export const insertWebhook = prepareInsert('webhooks');

export const findWebhook = prepareFind('webhooks', 'client_tag');

export const updateWebhook = updateBy('webhooks', 'id');

export async function isWebhookInState(
  records: Records,
  { id, state }: Pick<Webhook, 'id' | 'state'>,
): Promise<boolean> {
  return (await findRow(records, 'webhooks', { id, state })) !== undefined;
}

export async function listUnsettledWebhooks(
  records: Records,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Webhook[]> {
  return await records
    .selectFrom('webhooks')
    .selectAll()
    .where(isUnsettled)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Called once all cases of the client are linked. Does nothing if the webhook was ended meanwhile. */
export async function settleMarkedWebhook(records: Records, id: string): Promise<void> {
  await updateRows(records, 'webhooks', { id, state: 'marking' }, { state: 'set' });
}

/** Called once no case is linked any more. Does nothing if the webhook was set again meanwhile. */
export async function deleteEndedWebhook(records: Records, id: string): Promise<void> {
  await deleteRows(records, 'webhooks', { id, state: 'ending' });
}

/** After a restore: the backup does not say which cases the webhooks are linked to. */
export async function markRestoredWebhooks(records: Records): Promise<void> {
  await updateRows(records, 'webhooks', { state: 'set' }, { state: 'marking' });
}

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

export const deleteWebhookEvent = deleteBy('webhook_events', 'id');

export async function countQueuedEvents(records: Records, queueTag: string): Promise<number> {
  return await countMatching(records, 'webhook_events', { queue_tag: queueTag });
}

/** Postpones only those that would be due earlier. */
export async function postponeQueuedEvents(records: Records, queueTag: string, dueAt: number): Promise<void> {
  const earlier = { queue_tag: queueTag, due_at: ['<', dueAt] } as const;
  await updateRows(records, 'webhook_events', earlier, { due_at: dueAt });
}

export async function deleteQueuedEvents(records: Records, queueTags: readonly string[]): Promise<void> {
  await deleteRows(records, 'webhook_events', { queue_tag: ['in', queueTags] });
}
