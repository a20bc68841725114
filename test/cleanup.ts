/** Stops what tests have started and removes their temporary folders. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test or a test file: anything that runs a callback at its end. */
export interface CleanupScope {
  after(clean: () => unknown): void;
}

/** Cleans up in reverse order: a program ends before its folder is removed. */
export function withReverseCleanup(t: CleanupScope): CleanupScope {
  const tasks: (() => unknown)[] = [];
  t.after(async () => {
    for (const task of tasks) await task();
  });
  return { after: (clean) => void tasks.unshift(clean) };
}

/** When the work succeeds or fails, stops everything that it has started, the latest first. */
export async function runInScope<Result>(work: (scope: CleanupScope) => Promise<Result>): Promise<Result> {
  const tasks: (() => unknown)[] = [];
  try {
    return await work({ after: (clean) => void tasks.unshift(clean) });
  } finally {
    for (const task of tasks) await task();
  }
}

const processTasks: (() => unknown)[] = [];
/** The scope of the process, for what its test files share or a script starts; `endProcessScope` ends it. */
export const processScope: CleanupScope = { after: (clean) => void processTasks.unshift(clean) };

export async function endProcessScope(): Promise<void> {
  for (const task of processTasks.splice(0)) await task();
}

export async function createTemporaryFolder(t: CleanupScope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inquiry-office-'));
  // Retries, because a program that is ending may still write.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}
