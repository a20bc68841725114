/** Keys created on the command line, and configured keys; for the first start: test/life/start-and-stop.test.ts. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { isMasterKey, readConfig } from '#platform/config/config.ts';
import { deriveRecipient, openSealedBytes, sealBytes } from '#seal/core/age.ts';
import { encodeUtf8 } from '#seal/core/bytes.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { runCli } from './desk-cli.ts';

const run = promisify(execFile);
const runProcess = (...args: string[]) => run(process.execPath, ['bin/office.js', ...args]);

/** Runs the command in this process, and fails like `runProcess` if it is refused. */
async function runKeys(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await runCli({}, ['keys', ...args]);
  if (code !== 0) throw Object.assign(new Error(stderr), { code, stderr });
  return { stdout, stderr };
}

async function readPrivateKey(file: string): Promise<string> {
  return (
    (await readFile(file, 'utf8')).split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-PQ-1')) ?? ''
  );
}

test('keys master prints a key that the configuration accepts', async () => {
  const { stdout } = await runKeys('master');
  assert.ok(isMasterKey(stdout.trim()));
});

test('keys new creates private key files and prints settings that production starts with', async (t) => {
  const out = join(await createTemporaryFolder(t), 'keys');
  const { stdout, stderr } = await runProcess('keys', 'new', '--out', out);
  assert.doesNotMatch(stdout + stderr, /AGE-SECRET/);
  assert.match(stderr, /desk\.key is the desk key/);
  assert.match(stderr, /recovery\.key is the recovery key.*Keep it offline/);
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
  assert.equal((await runKeys('new', '--out', out)).stdout, stdout, 'the same folder keeps its keys');
});

test('keys new --desk makes one desk key, no recovery key, and a line that the configuration reads', async (t) => {
  const out = join(await createTemporaryFolder(t), 'keys');
  const makeKey = async (...args: string[]) => await runKeys('new', ...args, '--out', out);
  const { stdout, stderr } = await makeKey('--desk', 'Ada');
  assert.doesNotMatch(stdout + stderr, /AGE-SECRET|RECOVERY_RECIPIENT/);
  assert.deepEqual(await readdir(out), ['Ada.key']);
  const file = join(out, 'Ada.key');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const list = join(out, 'recipients');
  await writeFile(list, stdout);
  const { seal: sealing } = readConfig({ DESK_RECIPIENTS_FILE: list });
  const recipient = await deriveRecipient(await readPrivateKey(file));
  assert.deepEqual(sealing.people, [{ name: 'Ada', role: 'investigator', recipient }]);
  const before = await readFile(file, 'utf8');
  await assert.rejects(makeKey('--desk', 'Ada'), { code: 73, stderr: /already exists/ });
  assert.equal(await readFile(file, 'utf8'), before);
  for (const name of ['', '../Ada', '.Ada', 'A da', 'recovery'])
    await assert.rejects(makeKey('--desk', name), { code: 64, stderr: /a name of up to 40/ }, name);
});

test('git ignores the folder of keys and every key file', async () => {
  const ignored = (await readFile('.gitignore', 'utf8')).split('\n');
  for (const pattern of ['/keys/', '*.key', '*.key.pins']) assert.ok(ignored.includes(pattern), pattern);
});

test('configured keys are used as they are, and a damaged one is refused', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const { desk, recovery, set } = await loadSealingKeys(readConfig({ DATA_DIR: dataDir }));
  const env = {
    DATA_DIR: await createTemporaryFolder(t),
    DESK_RECIPIENTS: desk.join(),
    RECOVERY_RECIPIENT: recovery,
  };
  assert.deepEqual(await loadSealingKeys(readConfig(env)), {
    desk,
    recovery,
    set,
    privateKeyFiles: [],
  });
  const damaged = recovery.slice(0, -1) + (recovery.endsWith('q') ? 'p' : 'q');
  await assert.rejects(loadSealingKeys(readConfig({ ...env, RECOVERY_RECIPIENT: damaged })), /damaged/);
});
