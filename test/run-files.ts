/** Runs the test files that it is given one after the other in this process, each as a suite that cleans up at its end. */
import { resolve } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endProcessScope } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';

/** A file that takes longer hangs: the test that waits fails, and the next file runs. */
const FILE_MS = isLongRun ? 2_400_000 : 900_000;

// A test that waits on unreferenced timers alone would let the process end, and with it every file after that test.
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
