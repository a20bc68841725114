/** The PostgreSQL engine: a connection pool that waits for the server at start and reconnects after a restart. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import { formatEngineCode } from '#platform/engine-codes.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { DatabaseEngine } from './engine.ts';
import { createShredTable, insertShredKeys, requireShredTables } from './shred-table.ts';
import { createUnfinishedRestoreError, UNFINISHED_RESTORE_TABLE } from './unfinished-restore.ts';

const MAX_START_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 4_000;
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** Below the request timeout of 20 s. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** SQLSTATE (PostgreSQL, appendix A): serialization failure and deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);
/** SQLSTATE classes for connection, resources, operator and system; 25006 is a read-only server. */
const UNAVAILABLE = /^(08|53|57|58|25006)/;
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Messages of node-postgres for a lost connection, which has no error code. */
const CONNECTION_LOST = /^(Connection terminated|Client .* not queryable|timeout e)/;

/** The tables in which a purge leaves dead rows that mean nothing without the shred keys. */
const PURGED_TABLES = ['object_pieces', 'objects', 'cases', 'contact_messages'] as const;

/** The tables that have a row for an order. */
const PAYMENT_TABLES = [
  { table: 'orders', key: 'id' },
  { table: 'idempotency', key: 'key_tag' },
] as const;
/** Rewriting a table needs it for itself. Others wait behind this lock, so it is given up soon and taken another time. */
const REWRITE_LOCK_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** For the restore itself, which others have to wait for. */
  readonly restoring?: boolean;
}

export async function openPostgres({
  url,
  log,
  restoring = false,
}: PostgresOptions): Promise<DatabaseEngine> {
  const pool = createPool(url);
  // The pool listens to idle connections only; an error on a busy one would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.event('database_connection_lost', { error_code: formatCode(error) }));
  });
  pool.on('error', () => {});
  const location = formatServerAddress(url);
  try {
    await waitForServer(pool, location, log);
    await requireDurability(pool);
    if (!restoring) await requireNoUnfinishedTable(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    name: 'postgres',
    location,
    dialect: new PostgresDialect({ pool }),
    openShredKeys: async (records) => {
      await requireShredTables(records);
      return createShredTable(records);
    },
    writeShredKeys: insertShredKeys,
    disk: null,
    timeQuery: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
    erase: createVacuum(pool),
    hideRowOrder: () => sortPaymentTables(pool),
    withoutRowid: '',
    mayRetry: (error) => RETRYABLE.has(readErrorCode(error)),
    isUnavailable,
  };
}

/**
 * Vacuums tables that have dead rows, without a statement timeout. A vacuum leaves the bytes of dead rows in the file
 * until others take their room, so the small table of shred keys is written anew, once after each purge.
 */
function createVacuum(pool: Pool): () => Promise<void> {
  // Unknown at the start: the former process may have ended before it could rewrite.
  let rewrittenAt: string | null = null;
  return async () => {
    const client = await pool.connect();
    try {
      await client.query('set statement_timeout = 0');
      const destroyed = await countDestroyedKeys(client);
      if (destroyed !== rewrittenAt && (await rewriteShredKeys(client))) rewrittenAt = destroyed;
      const { rows } = await client.query<{ relname: string }>(
        'select relname from pg_stat_user_tables where n_dead_tup > 0 and relname = any($1)',
        [PURGED_TABLES],
      );
      for (const { relname } of rows) await client.query(`vacuum ${relname}`);
    } finally {
      await client.query(`set statement_timeout = ${STATEMENT_TIMEOUT_MS}`).catch(() => undefined);
      client.release();
    }
  };
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

/** Dead rows are no sign: PostgreSQL's own vacuum may have been there first. */
async function countDestroyedKeys(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ count: string }>(
    "select n_tup_del::text as count from pg_stat_user_tables where relname = 'shred_keys'",
  );
  return rows[0]?.count ?? '0';
}

/**
 * PostgreSQL keeps rows, and copies them, in the order of their last change: an order would stand where its case stands.
 * Sorted by their keys, which are random, they tell nothing. Rewriting also removes the former versions of the rows.
 */
async function sortPaymentTables(pool: Pool): Promise<void> {
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

function createPool(url: string): Pool {
  return new Pool({
    connectionString: url,
    application_name: 'inquiry-office',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    // By default bigint arrives as text, which would compare wrongly. Times and amounts are far below 2^53.
    types: {
      getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)),
    },
  });
}

async function waitForServer(pool: Pool, location: string, log: Log): Promise<void> {
  const deadline = Date.now() + MAX_START_WAIT_MS;
  for (let attempt = 1, wait = FIRST_WAIT_MS; ; attempt += 1, wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      if (!isUnavailable(error) || Date.now() + wait > deadline) throw toStartError(location, error);
      log.event('database_waiting', { attempt, error_code: formatCode(error) });
      await sleep(wait);
    }
  }
}

function toStartError(location: string, error: unknown): StartError {
  const reasons: Record<string, string> = {
    '28000': 'refuses the user of DATABASE_URL',
    '28P01': 'refuses the password of DATABASE_URL',
    '3D000': 'has no database of that name',
  };
  const code = readErrorCode(error);
  const reason =
    reasons[code] ?? `cannot be reached (${formatCode(error) || (error as Error).constructor.name})`;
  return new StartError(`PostgreSQL at ${location} ${reason}`, EXIT_CODES.unavailable, error);
}

function formatCode(error: unknown): string {
  return formatEngineCode(error) ?? readErrorCode(error);
}

/** Refuses a server that may lose acknowledged writes. */
async function requireDurability(pool: Pool): Promise<void> {
  const settings = ['fsync', 'synchronous_commit'];
  const { rows } = await pool.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where current_setting(name, true) = 'off'`,
    [settings],
  );
  if (rows[0])
    throw new StartError(
      `PostgreSQL has ${rows[0].name} = off: answered writes could be lost`,
      EXIT_CODES.config,
    );
}

async function requireNoUnfinishedTable(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ unfinished: boolean }>(
    `select to_regclass(quote_ident(current_schema()) || '.' || $1::text) is not null as unfinished`,
    [UNFINISHED_RESTORE_TABLE],
  );
  if (rows[0]?.unfinished) throw createUnfinishedRestoreError();
}

function isUnavailable(error: unknown): boolean {
  const code = readErrorCode(error);
  if (NETWORK.has(code) || UNAVAILABLE.test(code)) return true;
  return error instanceof Error && CONNECTION_LOST.test(error.message);
}

function formatServerAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}
