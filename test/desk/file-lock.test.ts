/** The lock of the file of pins: held by one command at a time, and released when its holder is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFileLock } from '#platform/file-lock.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';

test('only one holds the lock at a time', async (t) => {
  const path = join(await createTemporaryFolder(t), 'lock');
  let holders = 0;
  let most = 0;
  const holdLock = async () => {
    holders += 1;
    most = Math.max(most, holders);
    await sleep(5);
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, holdLock)));
  assert.equal(most, 1);
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new Error('fails'))),
    /fails/,
  );
  assert.equal(await withFileLock(path, async () => 'free'), 'free');
});

test('the lock of a killed command is free', async (t) => {
  const path = join(await createTemporaryFolder(t), 'lock');
  const script = `
    import { withFileLock } from '#platform/file-lock.ts';
    await withFileLock(process.argv[1], async () => {
      process.stdout.write('held');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  let isFree = false;
  const waiting = withFileLock(path, async () => {
    isFree = true;
  });
  await sleep(100);
  assert.ok(!isFree, 'it waits');
  child.kill('SIGKILL');
  await waiting;
  assert.ok(isFree);
});
