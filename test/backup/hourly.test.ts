/** The job that runs every hour: what it copies and when. */
import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const backUp = async (to = folder) => {
    const { code, stdout, stderr } = await runCli(env, ['backup', '--to', to, '--hourly', '--json']);
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
  for (const at of [-DAY_MS, DAY_MS]) {
    await recordBackup(store.records, 'records', Date.now() + at);
    assert.deepEqual(await backUp(), [true, true], 'for records that were restored, or saw a wrong clock');
  }
  const other = await createTemporaryFolder(t);
  assert.deepEqual(
    [await backUp(other), await backUp(other)],
    [
      [true, true],
      [false, true],
    ],
    'each folder has records of its own',
  );
  const [name = ''] = (await readdir(other)).filter((each) => each.startsWith('records-'));
  for (const year of ['2001', '2999']) {
    for (const each of await readdir(other)) if (each.startsWith('records-')) await rm(join(other, each));
    await writeFile(join(other, name.replace(/-\d{4}/, `-${year}`)), '');
    assert.deepEqual(await backUp(other), [true, true], year);
  }
  assert.deepEqual(await backUp(other), [false, true], 'a file of the future hides no other');
});
