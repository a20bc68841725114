/** Removes what deleted rows leave in the files of PostgreSQL, and the order in which rows were written. */
import type { Pool, PoolClient } from 'pg';
import { HOUR_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';

/** The tables in which a purge leaves dead rows; nothing sealed in them opens without the shred keys. */
const PURGED_TABLES = [
  'object_pieces',
  'objects',
  'case_keys',
  'cases',
  'contact_messages',
  'refunds',
  'audit_entries',
] as const;

/** The tables that have a row for an order. */
const PAYMENT_TABLES = [
  { table: 'orders', key: 'id' },
  { table: 'idempotency', key: 'key_tag' },
] as const;
/** Rewriting a table needs it for itself. Others wait behind this lock, so it is given up soon and taken another time. */
const REWRITE_LOCK_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** A vacuum takes longer in a large table. Fewer dead rows than this part of it wait for more, or for an hour. */
const DEAD_PART = 0.01;

/**
 * Vacuums tables that have dead rows, without a statement timeout. A vacuum leaves the bytes of dead rows in the file
 * until others take their room, so the small table of shred keys is written again after each purge, until no session
 * can see the destroyed keys any more.
 */
export function createVacuum(pool: Pool): () => Promise<void> {
  // Unknown at the start: the previous process may have ended before it could rewrite.
  let rewrittenAt: string | null = null;
  let vacuumedAt = -Infinity;
  return async () => {
    const client = await pool.connect();
    try {
      await client.query('set statement_timeout = 0');
      const destroyed = await countDestroyedKeys(client);
      if (destroyed !== rewrittenAt) {
        // Asked first: who reads from now on does not see what was destroyed before.
        const isSeen = await hasOlderReader(client);
        if ((await rewriteShredKeys(client)) && !isSeen) rewrittenAt = destroyed;
      }
      const isDue = performance.now() - vacuumedAt >= HOUR_MS;
      for (const table of await listTablesToVacuum(client, isDue ? 0 : DEAD_PART))
        await client.query(`vacuum ${table}`);
      if (isDue) vacuumedAt = performance.now();
    } finally {
      await client.query('reset statement_timeout').catch(() => undefined);
      client.release();
    }
  };
}

async function listTablesToVacuum(client: PoolClient, part: number): Promise<string[]> {
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_stat_user_tables
      where n_dead_tup > 0 and n_dead_tup >= n_live_tup * $2::real and relname = any($1)`,
    [PURGED_TABLES, part],
  );
  return rows.map(({ relname }) => relname);
}

/** Returns false if the table is in use; a later call may succeed. */
async function rewriteShredKeys(client: PoolClient): Promise<boolean> {
  try {
    await client.query(`set lock_timeout = ${REWRITE_LOCK_MS}`);
    await client.query('vacuum full shred_keys');
    return true;
  } catch (error) {
    if (readErrorCode(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  } finally {
    await client.query('set lock_timeout = 0').catch(() => undefined);
  }
}

/**
 * True while a session, such as a backup, may still see rows that were deleted before now: a rewrite copies those too.
 * Replication and prepared transactions hold rows back in the same way.
 */
async function hasOlderReader(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `with held as (
      select unnest(array[backend_xmin, backend_xid]) as xid from pg_stat_activity
        where pid <> pg_backend_pid() and (datname = current_database() or datname is null)
      union all select xmin from pg_replication_slots
      union all select transaction from pg_prepared_xacts)
    select exists (select from held
      where age(xid) > age(pg_snapshot_xmax(pg_current_snapshot())::xid)) as found`,
  );
  return rows[0]?.found ?? true;
}

/** Dead rows are no sign: PostgreSQL's own vacuum may have been there first. */
async function countDestroyedKeys(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ count: string }>(
    "select n_tup_del::text as count from pg_stat_user_tables where relname = 'shred_keys'",
  );
  return rows[0]?.count ?? '0';
}

/**
 * PostgreSQL keeps rows, and copies them, in the order of their last change: an order would stand where its case stands.
 * Sorted by their keys, which are random, they tell nothing. Rewriting also removes the previous versions of the rows.
 */
export async function sortPaymentTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set lock_timeout = ${REWRITE_LOCK_MS}`);
    for (const { table, key } of PAYMENT_TABLES) {
      const { rows } = await client.query<{ unsorted: boolean }>(
        `select exists (select from (select ${key} < lag(${key}) over (order by ctid) as behind from ${table}) as places
          where behind) as unsorted`,
      );
      if (rows[0]?.unsorted) await client.query(`cluster ${table} using ${table}_pkey`);
    }
  } catch (error) {
    if (readErrorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
  } finally {
    await client.query('set lock_timeout = 0').catch(() => undefined);
    client.release();
  }
}
