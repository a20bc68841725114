/** A start that is killed while it carries over the records of 0.1.0 leaves them whole, and the next one continues. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { resolve } from 'node:path';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { startProgram } from '#test/service-process.ts';
import { openTestStore, sqliteUnderTest } from '#test/store/engines.ts';
import { assertReleasedOpens, fillReleasedDatabase } from '#test/store/released-database.ts';

const PRELOAD = `--import=${resolve('test/faults/kill-at-step.ts')}`;

test('killed before each of its steps on the disk, everything opens after the next start', async (t) => {
  const folder = await createTemporaryFolder(t);
  const released = await fillReleasedDatabase(sqliteUnderTest, { env: { DATA_DIR: folder } }, '0.1.0');
  const run = async (killAt: number) => {
    const copy = await createTemporaryFolder(t);
    await cp(folder, copy, { recursive: true });
    const env = { DATA_DIR: copy, WORK: 'open', KILL_AT: String(killAt), NODE_OPTIONS: PRELOAD };
    const program = startProgram(t, 'test/faults/step-worker.ts', env);
    assert.equal(await program.ended, killAt === 0 ? 0 : 'SIGKILL', program.readOutput());
    const store = await openTestStore(t, { env: { DATA_DIR: copy } });
    await assertReleasedOpens(store, released);
    await store.close();
    return program.readOutput();
  };
  const { steps } = JSON.parse(await run(0)) as { steps: number };
  assert.ok(steps >= 2, `${steps} steps`);
  for (let step = 1; step <= steps; step += 1) await run(step);
});
