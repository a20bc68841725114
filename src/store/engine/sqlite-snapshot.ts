/** A snapshot of the SQLite records: a read transaction on a separate connection, while others write. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { giveWay } from '#platform/turns.ts';
import { STEPS_TABLE } from '../schema/schema-tables.ts';
import { type RecordValue, toTypedColumn } from '../schema/typed-columns.ts';
import type { SnapshotConnection } from './engine.ts';
import { toDatabasePath } from './sqlite.ts';

type SqliteRow = Record<string, RecordValue>;

/** While it is open, the log cannot be emptied. */
export function openSqliteSnapshot(dataDir: string): SnapshotConnection {
  const path = toDatabasePath(dataDir);
  const database = new DatabaseSync(path, { timeout: 2_000 });
  database.exec('pragma query_only = on');
  database.exec('begin');
  // The snapshot begins with the first read, not with `begin`.
  database.prepare(`select count(*) from ${STEPS_TABLE}`).get();
  return {
    engine: 'sqlite',
    query: async (sql) => database.prepare(sql).all() as SqliteRow[],
    listColumns: async (table) =>
      database
        .prepare('select name, type from pragma_table_info(?)')
        .all(table)
        .map(({ name, type }) => toTypedColumn(String(name), String(type))),
    readRows: async function* readRows(table, condition) {
      const statement = database.prepare(`select * from ${table} where ${condition} order by 1`);
      // Otherwise an integer that is too large for a number throws without saying which row has it.
      statement.setReadBigInts(true);
      for (const row of statement.iterate()) {
        for (const name in row) if (typeof row[name] === 'bigint') row[name] = Number(row[name]);
        yield row as SqliteRow;
        await giveWay();
      }
    },
    measureBytes: async () => statSync(path).size,
    close: async () => {
      // Done here rather than with the service's next write: the log may have grown long while it could not be emptied.
      try {
        database.exec('commit; pragma query_only = off; pragma wal_checkpoint(passive)');
      } finally {
        database.close();
      }
    },
  };
}
