/** A snapshot of the PostgreSQL records: one repeatable-read transaction, whose rows are read through a cursor. */
import { Client } from 'pg';
import { type RecordValue, toTypedColumn } from '../schema/typed-columns.ts';
import type { SnapshotConnection } from './engine.ts';
import { bigintAsNumber } from './postgres.ts';
import { KEEP_ALIVE } from './silent-connections.ts';

/** A piece of a file has up to 256 KiB: this many are 8 MiB. */
const FETCHED_ROWS = 32;

type PostgresRow = Record<string, RecordValue>;

/** While it is open, PostgreSQL removes no dead rows. */
export async function openPostgresSnapshot(url: string): Promise<SnapshotConnection> {
  const client = new Client({
    connectionString: url,
    application_name: 'inquiry-office backup',
    ...KEEP_ALIVE,
    types: bigintAsNumber,
  });
  await client.connect();
  // An error between two queries would end the process; the next query fails instead.
  client.on('error', () => {});
  await client.query('begin isolation level repeatable read read only');
  const query = async (sql: string) => (await client.query<PostgresRow>(sql)).rows;
  return {
    engine: 'postgres',
    query,
    listColumns: async (table) => {
      const columns =
        await query(`select attname as name, format_type(atttypid, null) as type from pg_attribute
        where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`);
      return columns.map(({ name, type }) => toTypedColumn(String(name), String(type)));
    },
    readRows: async function* readRows(table, condition) {
      await query(`declare copied cursor for select * from ${table} where ${condition} order by 1`);
      for (;;) {
        const rows = await query(`fetch ${FETCHED_ROWS} from copied`);
        yield* rows;
        if (rows.length < FETCHED_ROWS) break;
      }
      await query('close copied');
    },
    measureBytes: async () =>
      Number((await query('select pg_database_size(current_database()) as bytes'))[0]?.['bytes'] ?? 0),
    close: async () => await client.end(),
  };
}
