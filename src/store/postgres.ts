/** PostgreSQL: a pool that waits for the server at the start and finds it again after a restart. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { DatabaseEngine } from './engine.ts';

const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
const CONNECTIONS = 10;
const CONNECT_MS = 5_000;
/** Below the 20 s within which a request is answered. */
const STATEMENT_MS = 15_000;

/** SQLSTATE (PostgreSQL, appendix A): serialization failure and deadlock. */
const RETRIED = new Set(['40001', '40P01']);
/** Connection, resources, operator, system; and 25006, a server that only reads. */
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

/** What node-postgres says of a lost connection without giving it a code. */
const UNCODED = /^(Connection terminated|Client .* not queryable|timeout e)/;

/** Where a purge leaves dead rows behind. */
const PURGED_TABLES = ['shred_keys', 'object_pieces', 'objects', 'cases', 'contact_messages'] as const;

interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  readonly patienceMs?: number;
}

export async function openPostgres({
  url,
  log,
  patienceMs = PATIENCE_MS,
}: PostgresOptions): Promise<DatabaseEngine> {
  const pool = createPool(url);
  // On every connection: the pool itself listens only to idle ones, and a lost busy one would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      log.event('database_connection_lost', { error_code: readErrorCode(error) }),
    );
  });
  pool.on('error', () => {});
  const place = formatServerAddress(url);
  try {
    await waitForServer(pool, { place, log, patienceMs });
    await requireDurability(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    name: 'postgres',
    place,
    dialect: new PostgresDialect({ pool }),
    shredDialect: null,
    erase: () => vacuumPurgedTables(pool),
    withoutRowid: '',
    mayRetry: (error) => RETRIED.has(readErrorCode(error)),
    isUnavailable,
  };
}

/** Only tables with dead rows, and for as long as it takes. */
async function vacuumPurgedTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    const { rows } = await client.query<{ relname: string }>(
      'select relname from pg_stat_user_tables where n_dead_tup > 0 and relname = any($1)',
      [PURGED_TABLES],
    );
    for (const { relname } of rows) await client.query(`vacuum ${relname}`);
  } finally {
    await client.query(`set statement_timeout = ${STATEMENT_MS}`).catch(() => undefined);
    client.release();
  }
}

function createPool(url: string): Pool {
  return new Pool({
    connectionString: url,
    application_name: 'inquiry-office',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    keepAlive: true,
    // Times and amounts are far below 2^53; as text they would compare wrongly.
    types: {
      getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)),
    },
  });
}

async function waitForServer(
  pool: Pool,
  { place, log, patienceMs }: { place: string; log: Log; patienceMs: number },
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let attempt = 1, wait = FIRST_WAIT_MS; ; attempt += 1, wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      if (!isUnavailable(error) || Date.now() + wait > deadline) throw toStartError(place, error);
      log.event('database_waiting', { attempt, error_code: readErrorCode(error) });
      await sleep(wait);
    }
  }
}

function toStartError(place: string, error: unknown): StartError {
  const reasons: Record<string, string> = {
    '28000': 'refuses the user of DATABASE_URL',
    '28P01': 'refuses the password of DATABASE_URL',
    '3D000': 'has no database of that name',
  };
  const code = readErrorCode(error);
  const reason = reasons[code] ?? `cannot be reached (${code || (error as Error).constructor.name})`;
  return new StartError(`PostgreSQL at ${place} ${reason}`, EXIT_CODES.unavailable, error);
}

/** An acknowledged write must survive; a server that is told to forget some is refused. */
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

function isUnavailable(error: unknown): boolean {
  const code = readErrorCode(error);
  if (NETWORK.has(code) || UNAVAILABLE.test(code)) return true;
  return error instanceof Error && UNCODED.test(error.message);
}

function formatServerAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}
