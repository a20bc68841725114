/** Thread that empties a long write-ahead log: moves all it can while others write, then the rest under the lock. */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

/** Nothing waits for this thread, so it may wait for a writer. */
const LOCK_WAIT_MS = 1_000;

using database = new DatabaseSync(workerData as string, { timeout: LOCK_WAIT_MS });
database.exec('pragma synchronous = full; pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
