/** Kysely on node:sqlite: readers never wait, writers wait for each other in order of arrival. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** How long a write outside a transaction waits for another process's lock; this blocks the event loop. */
export const LOCK_WAIT_MS = 2_000;
const MAX_CACHED_STATEMENTS = 256;
const SELECTS = /^\s*select\b/i;

/** One file, opened twice: with a write-ahead log, reads continue while a transaction is open. */
export interface SqliteFiles {
  readonly reader: DatabaseSync;
  /** Does not wait for locks. */
  readonly writer: DatabaseSync;
}

interface SqliteDialect extends Dialect {
  /** The bytes of content that the open transaction has received so far. */
  readonly countBytes: () => number;
}

export function createSqliteDialect(files: SqliteFiles): SqliteDialect {
  const reader = new StatementCache(files.reader);
  const writer = new StatementCache(files.writer);
  const lock = new WriteLock();
  const connect = () => new SqliteFileConnection(reader, writer, lock);
  const adapter = new SharedFileAdapter(connect(), writer);
  const close = () => {
    reader.close();
    // Closed last, because this moves the log into the database.
    writer.close();
  };
  return {
    createAdapter: () => adapter,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => createFilesDriver(connect, close),
    countBytes: () => writer.boundBytes,
  };
}

export class SharedFileAdapter extends SqliteAdapter {
  /** Never has a transaction. */
  readonly #connection: DatabaseConnection;
  readonly #writer: StatementCache;

  constructor(connection: DatabaseConnection, writer: StatementCache) {
    super();
    this.#connection = connection;
    this.#writer = writer;
  }

  /** Runs a query at once; there is only one transaction at a time. */
  async run<Row>(query: CompiledQuery<Row>, isInTransaction: boolean): Promise<QueryResult<Row>> {
    if (isInTransaction) return this.#writer.run(query.sql, query.parameters);
    return await this.#connection.executeQuery(query);
  }

  /** Otherwise, Kysely makes all callers wait for one connection and wakes them all at once, in no order. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Kysely returns false for SQLite, but a step of the schema must be applied whole or not at all. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function createFilesDriver(connect: () => SqliteFileConnection, close: () => void): Driver {
  /** Reused, because Kysely remembers every connection that it has seen. */
  const idle: SqliteFileConnection[] = [];
  const own = (connection: DatabaseConnection) => connection as SqliteFileConnection;
  return {
    init: async () => {},
    acquireConnection: async () => idle.pop() ?? connect(),
    beginTransaction: async (connection) => await own(connection).begin(),
    commitTransaction: async (connection) => own(connection).commit(),
    rollbackTransaction: async (connection) => own(connection).rollBack(),
    releaseConnection: async (connection) => void idle.push(own(connection)),
    destroy: async () => close(),
  };
}

class SqliteFileConnection implements DatabaseConnection {
  readonly #reader: StatementCache;
  readonly #writer: StatementCache;
  readonly #lock: WriteLock;
  #inTransaction = false;

  constructor(reader: StatementCache, writer: StatementCache, lock: WriteLock) {
    this.#reader = reader;
    this.#writer = writer;
    this.#lock = lock;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#inTransaction) return this.#writer.run(sql, parameters);
    if (SELECTS.test(sql)) return this.#reader.run(sql, parameters);
    await this.#lock.acquire();
    try {
      return this.#writer.runWaiting(sql, parameters);
    } finally {
      this.#lock.release();
    }
  }

  /** Nothing is streamed: large tables are read in pages. */
  streamQuery(): never {
    throw new Error('streaming is not supported');
  }

  /**
   * Takes the write lock at the start: a deferred transaction that reads and then writes fails if another process wrote
   * in between. Does not wait for that process, which would block the event loop; callers try again later.
   */
  async begin(): Promise<void> {
    await this.#lock.acquire();
    try {
      this.#writer.database.exec('begin immediate');
      this.#writer.boundBytes = 0;
      this.#inTransaction = true;
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  commit(): void {
    this.#writer.database.exec('commit');
    this.#end();
  }

  /** SQLite rolls back by itself when the disk is full; a failing second rollback would hide the cause. */
  rollBack(): void {
    try {
      if (this.#writer.database.isTransaction) this.#writer.database.exec('rollback');
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#inTransaction = false;
    this.#lock.release();
  }
}

/** Granted in order of arrival. */
class WriteLock {
  #held = false;
  readonly #waiting: (() => void)[] = [];

  async acquire(): Promise<void> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#held = true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#held = false;
  }
}

class StatementCache {
  readonly database: DatabaseSync;
  /** The length of all blobs since this was set to 0. */
  boundBytes = 0;
  readonly #statements = new Map<string, { readonly statement: StatementSync; readonly hasRows: boolean }>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  run<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    const { statement, hasRows } = this.#statements.get(sql) ?? this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    for (const value of values) if (value instanceof Uint8Array) this.boundBytes += value.length;
    if (hasRows) return { rows: statement.all(...values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  }

  /** Waits for a short time, because the caller does not retry. */
  runWaiting<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    // A checkpoint need not wait: it can run later.
    if (sql.startsWith('pragma')) return this.run(sql, parameters);
    this.database.exec(`pragma busy_timeout = ${LOCK_WAIT_MS}`);
    try {
      return this.run(sql, parameters);
    } finally {
      this.database.exec('pragma busy_timeout = 0');
    }
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  #prepare(sql: string) {
    const statement = this.database.prepare(sql);
    const cached = { statement, hasRows: statement.columns().length > 0 };
    const [oldest] = this.#statements.keys();
    if (this.#statements.size === MAX_CACHED_STATEMENTS && oldest !== undefined)
      this.#statements.delete(oldest);
    this.#statements.set(sql, cached);
    return cached;
  }
}
