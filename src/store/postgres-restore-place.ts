/** The place of a restore in PostgreSQL: a database without our tables, marked by a table until everything is there. */
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { RestorePlace } from './restore-place.ts';
import { listOurTableNames } from './schema-tables.ts';
import { UNFINISHED_RESTORE_TABLE as MARK } from './unfinished-restore.ts';

const LOCK_NOT_AVAILABLE = '55P03';

type Query = (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** A transaction holds the row of the mark all the time, so that a second restore notices the first. */
export async function openPostgresRestorePlace(
  config: RestorePlace['config'],
  url: string,
): Promise<RestorePlace> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, application_name: 'inquiry-office restore' });
  const query: Query = async (sql, values = []) => (await client.query(sql, values)).rows;
  try {
    await client.connect();
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
      await query(`create table if not exists ${MARK} (id smallint not null primary key)`);
      await query(`insert into ${MARK} values (1) on conflict do nothing`);
      await query('begin');
      await lockMark(query);
      await dropOurTables(url);
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
  const [row] = await query('select to_regclass($1) is not null as marked', [MARK]);
  return row?.['marked'] === true;
}

async function requireEmptyDatabase(query: Query): Promise<void> {
  const rows = await query(
    'select tablename from pg_tables where schemaname = current_schema() and tablename = any($1)',
    [listOurTableNames()],
  );
  if (rows.length === 0) return;
  throw new StartError(
    `the database of DATABASE_URL has the table ${rows[0]?.['tablename']}: a restore needs an empty one`,
    EXIT_CODES.cannotCreate,
  );
}

async function lockMark(query: Query): Promise<void> {
  try {
    await query(`select id from ${MARK} for update nowait`);
  } catch (error) {
    if (readErrorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new StartError('another restore into this database is running', EXIT_CODES.failure);
  }
}

/** On a connection of its own, because the other one stays in its transaction. The mark says that all is of a restore. */
async function dropOurTables(url: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, application_name: 'inquiry-office restore' });
  await client.connect();
  try {
    for (const name of listOurTableNames()) await client.query(`drop table if exists ${name} cascade`);
  } finally {
    await client.end();
  }
}
