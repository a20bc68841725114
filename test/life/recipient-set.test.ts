/** The keys that cases are sealed to are the same on every instance, and only a command changes them. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { adoptRecipientSet } from '#cases/sealing/recipient-set.ts';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { readConfig } from '#platform/config/config.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { openSharedPostgres } from '#test/postgres-server.ts';
import { startServiceProcess } from '#test/service-process.ts';
import { openTestStore } from '#test/store/engines.ts';
import { assertStartRefused } from './refused-start.ts';

const cleanUp = withReverseCleanup({ after });
const dataDir = await createDataFolder(cleanUp);
const { DESK_RECIPIENTS: desk = '', RECOVERY_RECIPIENT: recovery = '' } =
  await readRecipientSettings(dataDir);

/** Adopts the keys, as the first start does. */
async function adoptKeys(t: test.TestContext, env: Record<string, string>): Promise<void> {
  const config = readConfig(env);
  const store = await openTestStore(t, { env });
  await adoptRecipientSet({ store }, await loadSealingKeys(config), config.seal);
  await store.close();
}

test('a start with other keys is refused and names the command, and reading goes on', async (t) => {
  await adoptKeys(t, { DATA_DIR: dataDir });
  const swapped = { DATA_DIR: dataDir, DESK_RECIPIENTS: recovery, RECOVERY_RECIPIENT: desk };
  await assertStartRefused(t, swapped, 78, /keys reseal --key FILE/);
  assert.equal((await runCli(swapped, ['cases', 'due'])).code, 0);
  const again = await startServiceProcess(t, {
    DATA_DIR: dataDir,
    DESK_RECIPIENTS: desk,
    RECOVERY_RECIPIENT: recovery,
  });
  assert.equal((await again.get('/api/ready')).status, 200, 'the same keys from elsewhere');
});

test('no new key is made beside old records when the file with the public key is gone', async (t) => {
  const folder = await createDataFolder(t);
  await adoptKeys(t, { DATA_DIR: folder });
  await mkdir(join(folder, 'moved'));
  for (const name of ['desk.key', 'desk.pub'])
    await rename(join(folder, 'keys', name), join(folder, 'moved', name));
  await assertStartRefused(t, { DATA_DIR: folder }, 78, /desk\.pub: missing/);
  assert.deepEqual((await readdir(join(folder, 'keys'))).toSorted(), ['recovery.key', 'recovery.pub']);
});

test('on PostgreSQL the keys must be configured, and a second machine must have the same', async (t) => {
  const server = await openSharedPostgres(t);
  const shared = { DATABASE_URL: await server.createDatabase(), MASTER_KEY: generateMasterKey() };
  await assertStartRefused(t, shared, 78, 'DESK_RECIPIENTS: expected when DATABASE_URL is set');
  await adoptKeys(t, { ...shared, DESK_RECIPIENTS: desk, RECOVERY_RECIPIENT: recovery });
  const other = { DESK_RECIPIENTS: `${desk},${recovery}`, RECOVERY_RECIPIENT: recovery };
  await assertStartRefused(t, { ...shared, ...other }, 78, /keys reseal/);
  const reading = await runCli({ DATA_DIR: await createDataFolder(t), ...shared }, ['cases', 'due']);
  assert.equal(reading.code, 0, reading.stderr);
});
