/** A lock between processes that is released when its holder ends, however it ends. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

/** SQLITE_BUSY (sqlite.org/rescode.html). */
const BUSY = 5;
const RETRY_MS = 20;
const MAX_WAIT_MS = 30_000;

/** Node has no lock on files; SQLite's is released by the system, so a killed command leaves none behind. */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = openLockFile(path);
  try {
    await acquireLock(path, lock);
    return await work();
  } finally {
    lock.close();
  }
}

/** Held until it is disposed or the process ends; null if another process has it. */
export function holdFileLock(path: string): Disposable | null {
  const lock = openLockFile(path);
  if (tryLock(path, lock)) return { [Symbol.dispose]: () => lock.close() };
  lock.close();
  return null;
}

function openLockFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw createLockFault(path, 'cannot be written', error);
  }
}

async function acquireLock(path: string, lock: DatabaseSync): Promise<void> {
  for (let waited = 0; !tryLock(path, lock); waited += RETRY_MS) {
    if (waited >= MAX_WAIT_MS)
      throw createLockFault(
        path,
        'another command has held this lock for too long; try again when it has ended',
      );
    await sleep(RETRY_MS);
  }
}

function tryLock(path: string, lock: DatabaseSync): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) return false;
    throw createLockFault(path, 'cannot be locked', error);
  }
}

function createLockFault(path: string, fault: string, cause?: unknown): ProgramError {
  return new ProgramError(`${path}: ${fault}`, EXIT_CODES.cannotCreate, cause);
}
