/** The outbox: work that a transaction enqueues and that is done after its commit, under a lease, at least once. */
import { type Selectable, sql } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import { cutToDay } from '#platform/text/day.ts';
import { generateId } from '#platform/text/ids.ts';
import { countMatching, deleteRows, limitToPage, listRows, updateRows } from './engine/selected-rows.ts';
import type { SqlBoolean } from './schema/column-values.ts';
import type { Records, Tables } from './schema/tables.ts';

/** How long an entry that was given up stays for the operator. */
export const DEAD_DAYS = 30;

/** Written out, as in the partial index, which SQLite would not use otherwise. */
const isAlive = sql<boolean>`dead = 0`;

export type OutboxEntry = Selectable<Tables['outbox']>;

interface NewOutboxEntry {
  readonly topic: string;
  readonly dedupe: string;
  readonly payload: unknown;
  /** When it is handled for the first time. */
  readonly dueAt: number;
}

/** Returns false if the same work is already waiting; once it is begun or was given up, it can be enqueued again. */
export async function enqueueOutboxEntry(records: Records, entry: NewOutboxEntry): Promise<boolean> {
  const fresh = {
    payload: JSON.stringify(entry.payload),
    due_at: entry.dueAt,
    waits_since: entry.dueAt,
    attempts: 0,
    reason: null,
    claimed_by: null,
    claimed_until: 0,
    dead: 0,
  } as const;
  const row = await records
    .insertInto('outbox')
    .values({ id: generateId(), topic: entry.topic, dedupe: entry.dedupe, ...fresh })
    .onConflict((conflict) =>
      conflict
        .column('dedupe')
        // With a new id, so that the worker handling the old entry does not delete this one.
        .doUpdateSet({ ...fresh, id: (next) => next.ref('excluded.id') })
        .where((old) => old.or([old('outbox.dead', '=', 1), old('outbox.claimed_by', 'is not', null)])),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export function createDueEntryQuery(records: Records, topics: readonly string[], now: number) {
  return records
    .selectFrom('outbox')
    .select('id')
    .where('topic', 'in', topics)
    .where(isAlive)
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now);
}

interface OutboxClaim {
  /** Entries of other topics are left to workers that handle them. */
  readonly topics: readonly string[];
  readonly worker: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Claims due entries for one worker, including entries whose lease has expired. */
export async function claimOutboxEntries(
  records: Records,
  { topics, worker, now, leaseMs, limit }: OutboxClaim,
): Promise<OutboxEntry[]> {
  const due = createDueEntryQuery(records, topics, now).orderBy('due_at').limit(limit);
  return await records
    .updateTable('outbox')
    .set((row) => ({ claimed_by: worker, claimed_until: now + leaseMs, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', due)
    // Repeated outside the subquery: under READ COMMITTED, PostgreSQL re-checks only the row.
    .where('claimed_until', '<=', now)
    .returningAll()
    .execute();
}

/** Returns false if another worker has taken over the lease. */
export async function completeOutboxEntry(records: Records, id: string, worker: string): Promise<boolean> {
  return await deleteRows(records, 'outbox', { id, claimed_by: worker });
}

interface FailedOutboxEntry {
  readonly id: string;
  readonly worker: string;
  /** A sentence for the operator. */
  readonly reason: string;
}

/** Releases an entry for a later attempt. */
export async function postponeOutboxEntry(
  records: Records,
  { id, worker, reason, until }: FailedOutboxEntry & { readonly until: number },
): Promise<void> {
  const change = { claimed_by: null, claimed_until: 0, due_at: until, reason };
  await updateRows(records, 'outbox', { id, claimed_by: worker }, change);
}

/** Gives an entry up. The operator can look at it and retry it for a while; it keeps only the day. */
export async function discardOutboxEntry(
  records: Records,
  { id, worker, reason, now }: FailedOutboxEntry & { readonly now: number },
): Promise<void> {
  const day = cutToDay(now);
  const change = {
    claimed_by: null,
    claimed_until: 0,
    dead: 1,
    due_at: day,
    waits_since: day,
    reason,
  } as const;
  await updateRows(records, 'outbox', { id, claimed_by: worker }, change);
}

export async function countOutbox(records: Records, now: number) {
  const alive = await countEntries(records, 0, now);
  return {
    waiting: alive.count,
    /** Since when the oldest has been waiting; null if none is. An entry that is not due yet does not count. */
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
  const failed = await listRows(records, 'outbox', { reason: ['is not', null] }, { by: 'waits_since' });
  return failed.map(({ id }) => id);
}

/** Counts entries that wait for their first attempt. */
export async function countUntriedOutbox(records: Records): Promise<number> {
  return await countMatching(records, 'outbox', { reason: null });
}

/** Makes an entry due now and resets its attempts. Returns false if there is none, or it is being sent right now. */
export async function retryOutboxEntry(records: Records, id: string, now: number): Promise<boolean> {
  const change = { dead: 0, attempts: 0, due_at: now, waits_since: now } as const;
  return await updateRows(records, 'outbox', { id, claimed_until: ['<=', now] }, change);
}

/** Returns false if there is none, or it is being sent right now. */
export async function dropOutboxEntry(records: Records, id: string, now: number): Promise<boolean> {
  return await deleteRows(records, 'outbox', { id, claimed_until: ['<=', now] });
}
