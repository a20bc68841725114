/** Entries of the outbox, waiting or given up: counted, listed, retried and dropped by the operator. */
import type { PageRequest } from '#platform/page-cursor.ts';
import { limitToPage } from './engine/keyset-page.ts';
import { countSelected } from './engine/selected-rows.ts';
import type { OutboxEntry } from './outbox.ts';
import type { SqlBoolean } from './schema/column-values.ts';
import type { Records } from './schema/tables.ts';

export interface OutboxCounts {
  readonly waiting: number;
  /** Since when the oldest has been waiting; null if none is. An entry that is not due yet does not count. */
  readonly oldestSince: number | null;
  readonly dead: number;
}

export async function countOutbox(records: Records, now: number): Promise<OutboxCounts> {
  const alive = await countEntries(records, 0, now);
  return {
    waiting: alive.count,
    oldestSince: alive.since,
    dead: (await countEntries(records, 1, now)).count,
  };
}

async function countEntries(
  records: Records,
  dead: SqlBoolean,
  now: number,
): Promise<{ count: number; since: number | null }> {
  return await records
    .selectFrom('outbox')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('waits_since').as('since')])
    .where('dead', '=', dead)
    .where('waits_since', '<=', now)
    .executeTakeFirstOrThrow();
}

/** Without the payload. */
export type ListedOutboxEntry = Pick<
  OutboxEntry,
  'id' | 'topic' | 'attempts' | 'reason' | 'waits_since' | 'due_at' | 'dead'
>;

/** The longest waiting first. One query for each part of the index. */
export async function listOutboxEntries(records: Records, page: PageRequest): Promise<ListedOutboxEntry[]> {
  const entries: ListedOutboxEntry[] = [];
  for (const dead of [0, 1] as const) {
    const query = records
      .selectFrom('outbox')
      .select(['id', 'topic', 'attempts', 'reason', 'waits_since', 'due_at', 'dead'])
      .where('dead', '=', dead);
    entries.push(...(await limitToPage(query, { by: 'waits_since', direction: 'asc' }, page).execute()));
  }
  return entries.toSorted(compareLongestWait).slice(0, page.limit);
}

function compareLongestWait(one: ListedOutboxEntry, other: ListedOutboxEntry): number {
  return one.waits_since - other.waits_since || (one.id < other.id ? -1 : 1);
}

/** Lists entries with a failed attempt, dead or not. */
export async function listFailedOutboxIds(records: Records): Promise<string[]> {
  const rows = await records
    .selectFrom('outbox')
    .select('id')
    .where('reason', 'is not', null)
    .orderBy('waits_since')
    .execute();
  return rows.map(({ id }) => id);
}

/** Counts entries that wait for their first attempt. */
export async function countUntriedOutbox(records: Records): Promise<number> {
  return await countSelected(records.selectFrom('outbox').where('reason', 'is', null));
}

/** Makes an entry due now and resets its attempts. Returns false if there is none, or it is being sent right now. */
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
