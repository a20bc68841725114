/** Keys created on the command line, and those created at the first start. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { loadSealingKeys } from '#cases/sealing-keys.ts';
import { isMasterKey, readConfig } from '#platform/config.ts';
import { deriveRecipient, openSealedBytes, sealBytes } from '#seal/age.ts';
import { encodeUtf8 } from '#seal/bytes.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { startServiceProcess } from '#test/service-process.ts';

const run = promisify(execFile);
const runCliProcess = (...args: string[]) => run(process.execPath, ['cli/main.ts', ...args]);

async function readPrivateKey(file: string): Promise<string> {
  return (
    (await readFile(file, 'utf8')).split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-PQ-1')) ?? ''
  );
}

test('keys master prints a key that the configuration accepts', async () => {
  const { stdout } = await runCliProcess('keys', 'master');
  assert.ok(isMasterKey(stdout.trim()));
});

test('keys new creates private key files and prints settings that production starts with', async (t) => {
  const out = join(await createTemporaryFolder(t), 'keys');
  const { stdout, stderr } = await runCliProcess('keys', 'new', '--out', out);
  assert.doesNotMatch(stdout + stderr, /AGE-SECRET/);
  for (const name of await readdir(out)) assert.equal((await stat(join(out, name))).mode & 0o077, 0, name);
  const env = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
  const { seal: sealing } = readConfig(env);
  const identity = await readPrivateKey(join(out, 'desk.key'));
  assert.equal(await deriveRecipient(identity), sealing.desk[0]);
  assert.deepEqual(
    await openSealedBytes(await sealBytes(encodeUtf8('a case'), sealing.desk), identity),
    encodeUtf8('a case'),
  );
  assert.equal(
    (await runCliProcess('keys', 'new', '--out', out)).stdout,
    stdout,
    'the same folder keeps its keys',
  );
});

test('an unknown command prints the usage', async () => {
  await assert.rejects(runCliProcess('keys', 'lost'), { code: 64, stderr: /Usage/ });
  await assert.rejects(runCliProcess('keys', 'new', '--where', 'x'), { code: 64, stderr: /Usage/ });
});

test('the first start creates both keys, asks to move them, and the service works without them', async (t) => {
  const first = await startServiceProcess(t, { DATA_DIR: await createTemporaryFolder(t) });
  const keys = join(first.dataDir, 'keys');
  for (const name of ['desk.key', 'recovery.key']) {
    assert.match(first.readOutput(), new RegExp(`Private key +\\S+${name} opens every case`));
    assert.equal((await stat(join(keys, name))).mode & 0o777, 0o600);
    await rename(join(keys, name), join(first.dataDir, name));
  }
  first.process.kill('SIGTERM');
  await first.ended;
  const second = await startServiceProcess(t, { DATA_DIR: first.dataDir });
  assert.doesNotMatch(second.readOutput(), /Private key/);
});

test('configured keys are used as they are, and a damaged one is refused', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const { desk, recovery } = await loadSealingKeys(readConfig({ DATA_DIR: dataDir }));
  const env = {
    DATA_DIR: await createTemporaryFolder(t),
    DESK_RECIPIENTS: desk.join(),
    RECOVERY_RECIPIENT: recovery,
  };
  assert.deepEqual(await loadSealingKeys(readConfig(env)), { desk, recovery, privateKeyFiles: [] });
  const damaged = recovery.slice(0, -1) + (recovery.endsWith('q') ? 'p' : 'q');
  await assert.rejects(loadSealingKeys(readConfig({ ...env, RECOVERY_RECIPIENT: damaged })), /damaged/);
});
