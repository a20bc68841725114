/** What waits in the outbox and what was given up: counted, listed, retried and dropped by the operator. */
import type { PageRequest } from '#platform/page-cursor.ts';
import { limitToPage } from './keyset-page.ts';
import type { OutboxEntry } from './outbox.ts';
import type { Records } from './tables.ts';

export interface OutboxCounts {
  readonly waiting: number;
  /** Since when the oldest of them waits; null if none does. One that is not due yet does not count. */
  readonly oldestSince: number | null;
  readonly dead: number;
}

export async function countOutbox(records: Records, now: number): Promise<OutboxCounts> {
  const rows = await records
    .selectFrom('outbox')
    .select(({ fn }) => [
      'dead',
      fn.countAll<number | string>().as('count'),
      fn.min<number | string | null>('waits_since').as('since'),
    ])
    .where('waits_since', '<=', now)
    .groupBy('dead')
    .execute();
  const alive = rows.find(({ dead }) => dead === 0);
  return {
    waiting: Number(alive?.count ?? 0),
    oldestSince: alive ? Number(alive.since) : null,
    dead: Number(rows.find(({ dead }) => dead === 1)?.count ?? 0),
  };
}

/** Without the payload. */
export type ListedOutboxEntry = Pick<
  OutboxEntry,
  'id' | 'topic' | 'attempts' | 'reason' | 'waits_since' | 'due_at' | 'dead'
>;

/** The longest waiting first. */
export async function listOutboxEntries(records: Records, page: PageRequest): Promise<ListedOutboxEntry[]> {
  const query = records
    .selectFrom('outbox')
    .select(['id', 'topic', 'attempts', 'reason', 'waits_since', 'due_at', 'dead']);
  return await limitToPage(query, { by: 'waits_since', direction: 'asc' }, page).execute();
}

/** Those that an attempt has failed for, dead or not. */
export async function listFailedOutboxIds(records: Records): Promise<string[]> {
  const rows = await records
    .selectFrom('outbox')
    .select('id')
    .where('reason', 'is not', null)
    .orderBy('waits_since')
    .execute();
  return rows.map(({ id }) => id);
}

/** Those that wait for their first attempt. */
export async function countUntriedOutbox(records: Records): Promise<number> {
  const { count } = await records
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('reason', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Makes an entry due now, with all its attempts. Returns false if there is none, or it is being sent right now. */
export async function retryOutboxEntry(records: Records, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('outbox')
    .set({ dead: 0, attempts: 0, due_at: now, waits_since: now })
    .where('id', '=', id)
    .where('claimed_until', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns false if there is none, or it is being sent right now. */
export async function dropOutboxEntry(records: Records, id: string, now: number): Promise<boolean> {
  const { numDeletedRows } = await records
    .deleteFrom('outbox')
    .where('id', '=', id)
    .where('claimed_until', '<=', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
