/** The write-ahead log of SQLite, which keeps what is deleted until it is emptied: at once, or in a thread if it is long. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Of a longer one, moving it and giving its room back takes tens of milliseconds; to start a thread takes fewer. */
const LONG_LOG_BYTES = 3 * 1024 * 1024;

/** `empty` does it on the connection of this thread. What somebody else locks is left to a later call. */
export async function clearLog(databasePath: string, empty: () => Promise<void>): Promise<void> {
  if (measureLog(databasePath) < LONG_LOG_BYTES) return await empty();
  // Tried here if the thread fails, so that the error is the database's own.
  if (!(await clearLogInThread(databasePath))) await empty();
}

function measureLog(databasePath: string): number {
  return statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

async function clearLogInThread(databasePath: string): Promise<boolean> {
  try {
    // It needs nothing of the configuration, least of all its secrets.
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: databasePath,
      env: {},
      argv: [],
    });
    const [code] = (await once(thread, 'exit')) as [number];
    return code === 0;
  } catch {
    return false;
  }
}
