/** What differs between SQLite and PostgreSQL; most SQL is the same, but for faster statements where `isPostgres`. */
import type { Dialect, Kysely } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { ShredKeyCopy, ShredKeys } from '../keys/shred-keys.ts';
import type { DiskProbe } from '../limits/storage-caps.ts';
import type { Tables } from '../schema/tables.ts';
import type { RecordValue, TypedColumn } from '../schema/typed-columns.ts';
import type { GroupCommitOptions } from './group-commit.ts';

/** Runs one statement on the record database outside a transaction. */
type SqlRunner = (statement: string) => Promise<void>;

export interface DatabaseEngine {
  readonly name: 'sqlite' | 'postgres';
  /** File or host, shown to the operator; never contains a password. */
  readonly location: string;
  readonly dialect: Dialect;
  /** Called once the schema is up to date. */
  readonly openShredKeys: (records: Kysely<Tables>, clock: Clock) => Promise<ShredKeys>;
  /** Writes copied shred keys where there are none yet. */
  readonly writeShredKeys: (records: Kysely<Tables>, copies: readonly ShredKeyCopy[]) => Promise<void>;
  readonly disk: DiskProbe;
  /** How transactions share commits. */
  readonly commits: Pick<GroupCommitOptions, 'maxMembers' | 'maxCommits' | 'countBytes'>;
  /** Selects the time of a database that may be on another machine; null if it has no clock of its own. */
  readonly timeQuery: string | null;
  /** Overwrites what deleted rows leave in the database files, as far as the engine can without waiting for a lock. */
  readonly erase: (run: SqlRunner) => Promise<void>;
  /** Removes traces of the sequence of payments from the database files; waits only briefly for a lock. */
  readonly hideRowOrder: (run: SqlRunner) => Promise<void>;
  /** False for an error of another server, which may have the same code. */
  readonly isOwnError: (error: unknown) => boolean;
  /** True if a conflict rolled the transaction back, so that a retry may succeed. */
  readonly mayRetry: (error: unknown) => boolean;
  /** True if the database is unreachable, full or locked; false if the query itself was wrong. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/** A connection on which every query sees the records of one moment. */
export interface SnapshotConnection {
  readonly engine: DatabaseEngine['name'];
  readonly query: (sql: string) => Promise<Record<string, RecordValue>[]>;
  readonly listColumns: (table: string) => Promise<TypedColumn[]>;
  /** Sorted by the first column, which is random: the order of writing would reveal which order paid for which case. */
  readonly readRows: (table: string, condition: string) => AsyncIterable<Record<string, RecordValue>>;
  readonly measureBytes: () => Promise<number>;
  readonly close: () => Promise<void>;
}
