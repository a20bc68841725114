/** The job that runs every hour: what it copies when. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS } from '#platform/durations.ts';
import { recordBackup } from '#store/last-backup.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { openTestStore, TEST_MASTER_KEY } from '#test/store/engines.ts';

test('the hourly backup has the keys each time, and the records once a day', async (t) => {
  const DATA_DIR = await createDataFolder(t);
  const env = { DATA_DIR, MASTER_KEY: TEST_MASTER_KEY };
  const store = await openTestStore(t, { env });
  const folder = await createTemporaryFolder(t);
  const backUp = async () => {
    const { code, stdout, stderr } = await runCli(env, ['backup', '--to', folder, '--hourly', '--json']);
    assert.equal(code, 0, stderr);
    const { records, keys } = JSON.parse(stdout) as { records: unknown; keys: unknown };
    return [records !== null, keys !== null];
  };
  assert.deepEqual(
    [await backUp(), await backUp()],
    [
      [true, true],
      [false, true],
    ],
  );
  await recordBackup(store.records, 'records', Date.now() - DAY_MS);
  assert.deepEqual(await backUp(), [true, true]);
});
