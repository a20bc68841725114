/** A view of all records at one moment, for copying them while the service continues to write. */
import type { Config } from '#platform/config/config.ts';
import { listRecordTables, STEPS_TABLE, selectCopiedRows } from '../schema/schema-tables.ts';
import type { RecordValue, TypedColumn } from '../schema/typed-columns.ts';
import type { DatabaseEngine, SnapshotConnection } from './engine.ts';

export interface SnapshotTable {
  readonly name: string;
  readonly columns: readonly TypedColumn[];
  readonly rows: AsyncIterable<readonly RecordValue[]>;
}

export interface RecordsSnapshot {
  readonly engine: DatabaseEngine['name'];
  /** The names of the schema's steps, in their order. */
  readonly steps: readonly string[];
  /** An estimate. */
  readonly bytes: number;
  /** To be read one after the other. */
  readonly tables: () => AsyncGenerator<SnapshotTable>;
  readonly close: () => Promise<void>;
}

export async function openRecordsSnapshot({
  dataDir,
  store: { databaseUrl },
}: Pick<Config, 'dataDir' | 'store'>): Promise<RecordsSnapshot> {
  const connection =
    databaseUrl === null
      ? (await import('./sqlite-snapshot.ts')).openSqliteSnapshot(dataDir)
      : await (await import('./postgres-snapshot.ts')).openPostgresSnapshot(databaseUrl);
  try {
    const steps = await connection.query(`select name from ${STEPS_TABLE} order by name`);
    return {
      engine: connection.engine,
      steps: steps.map(({ name }) => String(name)),
      bytes: await connection.measureBytes(),
      tables: () => listSnapshotTables(connection),
      close: connection.close,
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function* listSnapshotTables(connection: SnapshotConnection): AsyncGenerator<SnapshotTable> {
  // Each table follows those that its rows refer to.
  for (const name of listRecordTables()) {
    const columns = await connection.listColumns(name);
    yield { name, columns, rows: toValues(columns, connection.readRows(name, selectCopiedRows(name))) };
  }
}

async function* toValues(
  columns: readonly TypedColumn[],
  rows: AsyncIterable<Record<string, RecordValue>>,
): AsyncGenerator<readonly RecordValue[]> {
  for await (const row of rows) yield columns.map(({ name }) => row[name] ?? null);
}
