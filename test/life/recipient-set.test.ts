/** The keys that cases are sealed to are the same on every instance, and change by a command alone. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { findFreePorts } from '#test/ports.ts';
import { openSharedPostgres } from '#test/postgres-server.ts';
import { startOffice, startServiceProcess } from '#test/service-process.ts';

const cleanUp = withReverseCleanup({ after });
const dataDir = await createDataFolder(cleanUp);
const { DESK_RECIPIENTS: desk = '', RECOVERY_RECIPIENT: recovery = '' } =
  await readRecipientSettings(dataDir);

/** Starts a service that is expected to end by itself; returns its exit code and what it said. */
async function startRefused(env: Record<string, string>): Promise<{ code: number | string; output: string }> {
  const [port = 0] = await findFreePorts(1);
  const program = startOffice(cleanUp, ['serve'], { PORT: String(port), HTTP_PORT: 'off', ...env });
  return { code: await program.ended, output: program.readOutput() };
}

test('a start with other keys is refused and names the command, and reading goes on', async (t) => {
  const first = await startServiceProcess(t, { DATA_DIR: dataDir });
  first.process.kill('SIGTERM');
  await first.ended;
  const swapped = { DATA_DIR: dataDir, DESK_RECIPIENTS: recovery, RECOVERY_RECIPIENT: desk };
  const { code, output } = await startRefused(swapped);
  assert.equal(code, 78, output);
  assert.match(output, /keys reseal --key FILE/);
  assert.doesNotMatch(output, /is ready/);
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
  const first = await startServiceProcess(t, { DATA_DIR: folder });
  first.process.kill('SIGTERM');
  await first.ended;
  await mkdir(join(folder, 'moved'));
  for (const name of ['desk.key', 'desk.pub'])
    await rename(join(folder, 'keys', name), join(folder, 'moved', name));
  const { code, output } = await startRefused({ DATA_DIR: folder });
  assert.equal(code, 78, output);
  assert.match(output, /desk\.pub: missing/);
  assert.deepEqual((await readdir(join(folder, 'keys'))).toSorted(), [
    'master.key',
    'recovery.key',
    'recovery.pub',
  ]);
});

test('on PostgreSQL the keys must be configured, and a second machine must have the same', async (t) => {
  const server = await openSharedPostgres(t);
  const shared = { DATABASE_URL: await server.createDatabase(), MASTER_KEY: generateMasterKey() };
  const without = await startRefused({ DATA_DIR: await createDataFolder(t), ...shared });
  assert.equal(without.code, 78, without.output);
  assert.match(without.output, /DESK_RECIPIENTS: expected when DATABASE_URL is set/);
  const keys = { DESK_RECIPIENTS: desk, RECOVERY_RECIPIENT: recovery };
  await startServiceProcess(t, { ...shared, ...keys });
  const other = { DESK_RECIPIENTS: `${desk},${recovery}`, RECOVERY_RECIPIENT: recovery };
  const second = await startRefused({ DATA_DIR: await createDataFolder(t), ...shared, ...other });
  assert.equal(second.code, 78, second.output);
  assert.match(second.output, /keys reseal/);
  const reading = await runCli({ DATA_DIR: await createDataFolder(t), ...shared }, ['cases', 'due']);
  assert.equal(reading.code, 0, reading.stderr);
});
