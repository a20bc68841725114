/** The PostgreSQL engine: a pool that waits for the server at start and reconnects after a restart or silence. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomTypesConfig, Pool, types } from 'pg';
import { formatEngineCode } from '#platform/database-codes.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import { createShredTable, insertShredKeys, requireShredTables } from '../keys/shred-table.ts';
import { createUnfinishedRestoreError, UNFINISHED_RESTORE_TABLE } from '../restore/unfinished-restore.ts';
import type { DatabaseEngine } from './engine.ts';
import { NamingPostgresDialect, STALE_STATEMENT_CODES } from './postgres-dialect.ts';
import { createVacuum, sortPaymentTables } from './postgres-vacuum.ts';
import { KEEP_ALIVE, limitStatements } from './silent-connections.ts';

const MAX_START_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 4_000;
/** PostgreSQL allows 100 by default: enough for nine instances. */
const DEFAULT_CONNECTIONS = 10;
const MAX_CONNECTIONS = 100;
/** For queries that need no transaction. */
const SPARE_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 5_000;
/** Below the request timeout of 20 s. */
const STATEMENT_TIMEOUT_MS = 15_000;
const MAX_LIFETIME_SECONDS = 900;

/** SQLSTATE (PostgreSQL, appendix A): serialization failure and deadlock. */
const RETRYABLE = new Set(['40001', '40P01', ...STALE_STATEMENT_CODES]);
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

interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** Set by the restore itself; all others must wait for it. */
  readonly restoring?: boolean;
  /** How long a statement may take. */
  readonly limitMs?: number;
}

export async function openPostgres({
  url,
  log,
  restoring = false,
  limitMs = STATEMENT_TIMEOUT_MS,
}: PostgresOptions): Promise<DatabaseEngine> {
  const pool = createPool(url);
  limitStatements(pool, limitMs);
  // Must precede the first connection.
  const dialect = new NamingPostgresDialect(pool);
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
    dialect,
    openShredKeys: async (records) => {
      await requireShredTables(records);
      return createShredTable(records);
    },
    writeShredKeys: insertShredKeys,
    disk: null,
    // The server groups concurrent commits by itself.
    commits: {
      maxMembers: 1,
      maxCommits: readConnectionLimit(url) - SPARE_CONNECTIONS,
      countBytes: () => 0,
    },
    timeQuery: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
    erase: createVacuum(pool),
    hideRowOrder: () => sortPaymentTables(pool),
    isOwnError: (error) => dialect.ownErrors.has(error as object),
    mayRetry: (error) => RETRYABLE.has(readErrorCode(error)),
    isUnavailable,
  };
}

/** Tries once, without waiting for a server that is just starting. Returns null if it answered, else a sentence. */
export async function checkPostgres(url: string): Promise<string | null> {
  const pool = createPool(url);
  pool.on('error', () => {});
  try {
    await pool.query('select 1');
    return null;
  } catch (error) {
    return `${createConnectError(formatServerAddress(url), error).message}.`;
  } finally {
    await pool.end();
  }
}

/** A parameter of the URL, as in other tools: more connections are of little use, and fewer allow more instances. */
function readConnectionLimit(url: string): number {
  const asked = new URL(url).searchParams.get('connection_limit');
  const limit = Number(asked ?? DEFAULT_CONNECTIONS);
  if (Number.isInteger(limit) && limit > SPARE_CONNECTIONS && limit <= MAX_CONNECTIONS) return limit;
  throw new ProgramError(
    `DATABASE_URL: connection_limit takes a number from ${SPARE_CONNECTIONS + 1} to ${MAX_CONNECTIONS}`,
    EXIT_CODES.config,
  );
}

/** By default bigint arrives as text, which would compare wrongly. Times and amounts are far below 2^53. */
export const bigintAsNumber: CustomTypesConfig = {
  getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)),
};

function createPool(url: string): Pool {
  return new Pool({
    connectionString: url,
    application_name: 'inquiry-office',
    max: readConnectionLimit(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...KEEP_ALIVE,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    types: bigintAsNumber,
  });
}

async function waitForServer(pool: Pool, location: string, log: Log): Promise<void> {
  const deadline = Date.now() + MAX_START_WAIT_MS;
  for (let attempt = 1, wait = FIRST_WAIT_MS; ; attempt += 1, wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      if (!isUnavailable(error) || Date.now() + wait > deadline) throw createConnectError(location, error);
      log.event('database_waiting', { attempt, error_code: formatCode(error) });
      await sleep(wait);
    }
  }
}

/** `28000` also comes from a local socket, where the server checks the operating system user. */
export function createConnectError(location: string, error: unknown): ProgramError {
  const reasons: Record<string, string> = {
    '28000': 'refuses the user of DATABASE_URL: run this as the user of the service, or correct the address',
    '28P01': 'refuses the password of DATABASE_URL: correct it',
    '3D000': 'has no database of that name: create it, or correct DATABASE_URL',
  };
  const cause = formatCode(error) || (error as Error).constructor.name;
  const reason =
    reasons[readErrorCode(error)] ?? `cannot be reached (${cause}): start it, or correct DATABASE_URL`;
  return new ProgramError(`PostgreSQL at ${location} ${reason}`, EXIT_CODES.unavailable, error);
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
    throw new ProgramError(
      `PostgreSQL has ${rows[0].name} = off, so acknowledged writes could be lost: turn it on`,
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

export function formatServerAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}
