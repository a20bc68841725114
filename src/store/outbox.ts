/** Work to be done after a commit: written in the transaction that causes it, claimed under a lease, done at least once. */
import type { Selectable } from 'kysely';
import { generateId } from '#platform/ids.ts';
import type { Records, Tables } from './tables.ts';

export type OutboxEntry = Selectable<Tables['outbox']>;

interface NewEntry {
  readonly topic: string;
  readonly dedupe: string;
  readonly payload: unknown;
  readonly dueAt: number;
}

/** False if the same work is waiting already; once it is done, it may be written again. */
export async function enqueueOutboxEntry(records: Records, entry: NewEntry): Promise<boolean> {
  const written = await records
    .insertInto('outbox')
    .values({
      id: generateId(),
      topic: entry.topic,
      payload: JSON.stringify(entry.payload),
      dedupe: entry.dedupe,
      due_at: entry.dueAt,
      attempts: 0,
      claimed_by: null,
      claimed_until: 0,
      dead: 0,
    })
    .onConflict((conflict) => conflict.column('dedupe').doNothing())
    .returning('id')
    .executeTakeFirst();
  return written !== undefined;
}

export async function hasDueOutboxEntries(
  records: Records,
  topics: readonly string[],
  now: number,
): Promise<boolean> {
  const due = await records
    .selectFrom('outbox')
    .select('id')
    .where('topic', 'in', topics)
    .where('dead', '=', 0)
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

interface Claim {
  /** Entries of other topics are left for whoever knows them. */
  readonly topics: readonly string[];
  readonly worker: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Takes due entries for one worker; an entry whose lease ran out is taken again. */
export async function claimOutboxEntries(
  records: Records,
  { topics, worker, now, leaseMs, limit }: Claim,
): Promise<OutboxEntry[]> {
  const due = records
    .selectFrom('outbox')
    .select('id')
    .where('topic', 'in', topics)
    .where('dead', '=', 0)
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  return await records
    .updateTable('outbox')
    .set((row) => ({ claimed_by: worker, claimed_until: now + leaseMs, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', due)
    // Said again outside: under READ COMMITTED PostgreSQL re-checks this row, not the subquery.
    .where('claimed_until', '<=', now)
    .returningAll()
    .execute();
}

/** False if the lease was lost to another worker meanwhile. */
export async function completeOutboxEntry(records: Records, id: string, worker: string): Promise<boolean> {
  const { numDeletedRows } = await records
    .deleteFrom('outbox')
    .where('id', '=', id)
    .where('claimed_by', '=', worker)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Gives an entry back for a later attempt, or for good when no time is given. */
export async function postponeOutboxEntry(
  records: Records,
  { id, worker, until }: { id: string; worker: string; until: number | null },
): Promise<void> {
  await records
    .updateTable('outbox')
    .set({ claimed_by: null, claimed_until: 0, ...(until === null ? { dead: 1 } : { due_at: until }) })
    .where('id', '=', id)
    .where('claimed_by', '=', worker)
    .execute();
}
