/** Removes what deleted rows leave in the files of PostgreSQL, and the order in which rows were written. */
import type { Pool } from 'pg';
import { HOUR_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';

/** The tables in which a purge leaves dead rows; no case content in them can be opened without the shred keys. */
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
/** Rewriting a table locks it, and others queue behind the lock, so the attempt is given up soon and repeated later. */
const REWRITE_LOCK_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** A vacuum takes longer in a large table, so it waits until this part of the rows is dead, or for an hour. */
const DEAD_PART = 0.01;

/**
 * Vacuums tables that have dead rows. A vacuum leaves the bytes of dead rows in the file until new rows take their
 * space, so the small table of shred keys is rewritten after each purge, until no session can see the destroyed keys.
 */
export function createVacuum(pool: Pool): () => Promise<void> {
  // Unknown at the start: the previous process may have ended before it could rewrite.
  let rewrittenAt: number | null = null;
  let vacuumedAt = -Infinity;
  return async () => {
    const tables = await listTableUses(pool);
    // The count of dead rows is no indication: PostgreSQL's own vacuum may have run first.
    const destroyed = tables.find(({ name }) => name === 'shred_keys')?.deleted ?? 0;
    if (destroyed !== rewrittenAt) {
      // Checked first: a session that starts reading after this does not see keys destroyed before.
      const isSeen = await hasOlderReader(pool);
      if ((await rewriteTable(pool, 'shred_keys')) && !isSeen) rewrittenAt = destroyed;
    }
    const isDue = performance.now() - vacuumedAt >= HOUR_MS;
    for (const { name, dead, live } of tables)
      if (name !== 'shred_keys' && dead > 0 && dead >= live * (isDue ? 0 : DEAD_PART))
        await pool.query(`vacuum ${name}`);
    if (isDue) vacuumedAt = performance.now();
  };
}

interface TableUse {
  readonly name: string;
  readonly deleted: number;
  readonly dead: number;
  readonly live: number;
}

async function listTableUses(pool: Pool): Promise<TableUse[]> {
  const { rows } = await pool.query<TableUse>(
    `select relname as name, n_tup_del as deleted, n_dead_tup as dead, n_live_tup as live
      from pg_stat_user_tables where relname = any($1)`,
    [[...PURGED_TABLES, 'shred_keys']],
  );
  return rows;
}

/** Sorts a table by its key and drops old versions and deleted rows. Returns false while the table is in use. */
async function rewriteTable(pool: Pool, table: string): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('set local statement_timeout = 0');
    await client.query(`set local lock_timeout = ${REWRITE_LOCK_MS}`);
    await client.query(`cluster ${table} using ${table}_pkey`);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (readErrorCode(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  } finally {
    client.release();
  }
}

/** True while a session, replication or prepared transaction may still see deleted rows, which a rewrite copies. */
async function hasOlderReader(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
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

/** In the order of their last change, rows would show which order paid for what; sorted by random keys, they do not. */
export async function sortPaymentTables(pool: Pool): Promise<void> {
  for (const { table, key } of PAYMENT_TABLES) {
    const { rows } = await pool.query<{ unsorted: boolean }>(
      `select exists (select from (select ${key} < lag(${key}) over (order by ctid) as behind from ${table}) as places
        where behind) as unsorted`,
    );
    if (rows[0]?.unsorted) await rewriteTable(pool, table);
  }
}
