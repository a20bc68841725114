/** Runs the test files in its arguments sequentially in this process, each as a suite that cleans up at its end. */
import { resolve } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endProcessScope } from '#test/cleanup.ts';

/**
 * After this, the waiting test is considered to hang: it fails, and the next file runs. What a file awaits before its
 * first test, and its cleanup, have only the limit of the process.
 */
const FILE_MS = 2_400_000;

// Otherwise a test that waits only on unreferenced timers would end the process before the remaining files run.
const alive = setInterval(() => {}, 60_000);
try {
  for (const file of process.argv.slice(2))
    await suite(file, { timeout: FILE_MS }, async () => {
      await import(pathToFileURL(resolve(file)).href);
    });
  await endProcessScope();
} finally {
  clearInterval(alive);
}
