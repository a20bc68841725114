/** What the store needs to know of the database below it; everything else is the same SQL for all. */
import type { Dialect } from 'kysely';

/** Runs one statement on the records, when no transaction is open. */
type SqlRunner = (statement: string) => Promise<void>;

export interface DatabaseEngine {
  readonly name: 'sqlite' | 'postgres';
  /** For the operator: the file or the host, never a password. */
  readonly place: string;
  readonly dialect: Dialect;
  /** Where shred keys lie, if apart from the records. */
  readonly shredDialect: Dialect | null;
  /** Ends every `create table`, where the engine knows tables ordered by their own key. */
  readonly withoutRowid: string;
  /** Clears away what deleted rows leave in the database's files, as far as the engine can and nobody is in the way. */
  readonly erase: (run: SqlRunner) => Promise<void>;
  /** The transaction was undone by a conflict: the same work may succeed when done again. */
  readonly mayRetry: (error: unknown) => boolean;
  /** The database is away, full or locked, rather than asked something wrong. */
  readonly isUnavailable: (error: unknown) => boolean;
}
