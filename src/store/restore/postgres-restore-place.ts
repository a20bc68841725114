/** The place of a restore in PostgreSQL: a database without our tables, marked by a table until it is complete. */
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { KEEP_ALIVE } from '../engine/silent-connections.ts';
import { listOurTableNames } from '../schema/schema-tables.ts';
import { UNFINISHED_RESTORE_TABLE as MARK, type RestorePlace } from './unfinished-restore.ts';

const LOCK_NOT_AVAILABLE = '55P03';
/** Of two sessions that create the same table, one waits and then finds that it exists. */
const CREATED_MEANWHILE: readonly string[] = ['42P07', '23505'];

type Query = (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** A transaction locks the row of the mark throughout, so that a second restore notices the first. */
export async function openPostgresRestorePlace(
  config: RestorePlace['config'],
  url: string,
): Promise<RestorePlace> {
  const { Client } = await import('pg');
  const { createConnectError, formatServerAddress } = await import('../engine/postgres.ts');
  const client = new Client({
    connectionString: url,
    application_name: 'inquiry-office restore',
    ...KEEP_ALIVE,
  });
  const query: Query = async (sql, values = []) => (await client.query(sql, values)).rows;
  try {
    await client.connect().catch((error: unknown) => {
      throw createConnectError(formatServerAddress(url), error);
    });
    client.on('error', () => {});
    if (!(await isMarked(query))) await requireEmptyDatabase(query);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    finished: undefined,
    config,
    prepare: async () => {
      const isNew = await ensureMark(query);
      await query('begin');
      await lockMark(query);
      if (isNew) await requireStillEmpty(query);
      else await dropOurTables(url);
    },
    complete: async () => {
      await query(`drop table ${MARK}`);
      await query('commit');
    },
    abandon: async () => {
      await dropOurTables(url);
      await query(`drop table ${MARK}`);
      await query('commit');
    },
    close: async () => await client.end(),
  };
}

async function isMarked(query: Query): Promise<boolean> {
  const [row] = await query(
    `select to_regclass(quote_ident(current_schema()) || '.' || $1::text) is not null as marked`,
    [MARK],
  );
  return row?.['marked'] === true;
}

/** Returns whether it created the mark. Checks again, because others may have filled the database meanwhile. */
async function ensureMark(query: Query): Promise<boolean> {
  await query('begin');
  try {
    const isNew = !(await isMarked(query));
    if (isNew) {
      await query(`create table ${MARK} (id smallint not null primary key)`);
      await query(`insert into ${MARK} values (1)`);
      await requireEmptyDatabase(query);
    }
    await query('commit');
    return isNew;
  } catch (error) {
    await query('rollback');
    throw CREATED_MEANWHILE.includes(readErrorCode(error)) ? createRunningError() : error;
  }
}

/** Checks again now that the mark keeps others out: a service that looked before that may have created tables. */
async function requireStillEmpty(query: Query): Promise<void> {
  try {
    await requireEmptyDatabase(query);
  } catch (error) {
    await query(`drop table ${MARK}`);
    await query('commit');
    throw error;
  }
}

async function requireEmptyDatabase(query: Query): Promise<void> {
  const rows = await query(
    'select tablename from pg_tables where schemaname = current_schema() and tablename = any($1)',
    [listOurTableNames()],
  );
  if (rows.length === 0) return;
  throw new ProgramError(
    `the database of DATABASE_URL has the table ${rows[0]?.['tablename']}: a restore needs an empty one`,
    EXIT_CODES.cannotCreate,
  );
}

async function lockMark(query: Query): Promise<void> {
  try {
    await query(`select id from ${MARK} for update nowait`);
  } catch (error) {
    if (readErrorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw createRunningError();
  }
}

function createRunningError(): ProgramError {
  return new ProgramError('another restore into this database is running');
}

/**
 * On a separate connection, because the first one stays in its transaction. The mark says that all tables are those of
 * a restore. A schema later in the search path may have tables of the same name, which belong to another program.
 */
async function dropOurTables(url: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, application_name: 'inquiry-office restore' });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string }>('select quote_ident(current_schema()) as schema');
    for (const name of listOurTableNames())
      await client.query(`drop table if exists ${rows[0]?.schema}.${name} cascade`);
  } finally {
    await client.end();
  }
}
