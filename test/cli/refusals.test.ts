/** Every kind of failure of a command: one line, an exit code, and no secret in the output. */
import assert from 'node:assert/strict';
import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { armor, Encrypter, generateX25519Identity } from 'age-encryption';
import { generateAgeIdentity } from '#seal/core/age.ts';
import { countStoredRows } from '#test/cases/row-counts.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { openSharedPostgres } from '#test/postgres-server.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, runCli, sendCase, toOwnServiceEnv } from './desk-cli.ts';

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);
const folder = await createTemporaryFolder({ after });
const sent = await sendCase(shop);
const { id } = sent;

async function writeKeyFile(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

test('64: a command that is not understood is explained and does nothing', async () => {
  const before = await countStoredRows(shop);
  for (const args of [
    ['cases', 'lose'],
    ['cases', 'list', '--limit', '0'],
    ['cases', 'list', '--after', 'x'],
    ['cases', 'list', '--state', 'lost'],
    ['cases', 'list', '--tier', 'x'],
    ['cases', 'list', '--mine', '--unassigned'],
    ['cases', 'show'],
    ['cases', 'ask', id, '--text', 'a', '--file', 'b'],
    ['cases', 'decline', id, '--text', 'a', '--offer-call'],
    ['cases', 'ask', id, '--text', 'a', '--seen', '1.5'],
    ['orders', 'list', '--held', '--limit', '1'],
  ])
    await desk.runRefused(64, ...args);
  assert.match(await desk.runRefused(64, 'cases', 'list', '--colour'), /\. Usage: office cases list /);
  assert.deepEqual(await countStoredRows(shop), before);
});

test('a key passed instead of its file is not printed', async () => {
  const key = await readPrivateKey(shop.dataDir, 'desk');
  const line = await desk.runRefused(64, 'cases', 'open', id, '--key', key);
  assert.match(line, /name of a file, not the key itself/);
  assert.doesNotMatch(line, /AGE-SECRET/);
});

test('66: an input file that is missing, a folder, too long or not text is refused', async () => {
  assert.match(await desk.runRefused(66, 'cases', 'open', id, '--key', '/nowhere'), /no such file/);
  assert.match(await desk.runRefused(66, 'cases', 'open', id, '--key', folder), /folder/);
  const ask = ['cases', 'ask', id, '--file'];
  assert.match(await desk.runRefused(66, ...ask, join(folder, 'lost')), /no such file/);
  assert.match(
    await desk.runRefused(66, ...ask, await writeKeyFile('latin', Buffer.from('caf\xe9', 'latin1'))),
    /UTF-8/,
  );
  assert.match(
    await desk.runRefused(66, ...ask, await writeKeyFile('long', 'x'.repeat(2_000_000))),
    /longer than/,
  );
  assert.match(await desk.runRefused(66, 'cases', 'deliver', id, '--attach', '/dev/null'), /not a file/);
});

test('77: a key file that is damaged, classical, public, encrypted, has several keys or the wrong key is refused', async () => {
  const deskKey = await readPrivateKey(shop.dataDir, 'desk');
  const damaged = deskKey.slice(0, -1) + (deskKey.endsWith('Q') ? 'P' : 'Q');
  const faults: [name: string, text: string, says: RegExp][] = [
    ['empty', '# nothing\n\n', /not a private key/],
    ['damaged', damaged, /damaged private key/],
    ['classical', await generateX25519Identity(), /classical/],
    ['public', await readFile(join(shop.dataDir, 'keys', 'desk.pub'), 'utf8'), /public key/],
    ['locked', 'age-encryption.org/v1\n-> scrypt x 18\n', /passphrase/],
    ['plural', `${deskKey}\n${await generateAgeIdentity()}\n`, /several keys/],
    ['other', await generateAgeIdentity(), /does not know your key/],
  ];
  for (const [name, text, says] of faults) {
    const line = await desk.runRefused(77, 'cases', 'open', id, '--key', await writeKeyFile(name, text));
    assert.match(line, says);
    assert.doesNotMatch(line, /AGE-SECRET-KEY-(?!PQ-1…)/, name);
  }
});

test('a key file may have comments, blank lines and Windows line ends', async () => {
  const deskKey = await readPrivateKey(shop.dataDir, 'desk');
  const path = await writeKeyFile('windows', `# mine\r\n\r\n${deskKey}\r\n`);
  assert.match(await desk.runForText('cases', 'open', id, '--key', path), /CANARY-QUESTION/);
});

test('a key that others may read is used with a warning', async () => {
  const path = join(folder, 'open.key');
  await cp(desk.key, path);
  await chmod(path, 0o644);
  const { code, stderr } = await desk.run('cases', 'open', id, '--key', path);
  assert.equal(code, 0);
  assert.match(stderr, /^Warning: other users of this machine can read .*chmod 600/);
});

test('1: an action that the case does not allow is refused', async () => {
  const unknown = 'A'.repeat(22);
  assert.match(await desk.runRefused(1, 'cases', 'show', unknown), /no such case/);
  assert.match(await desk.runRefused(1, 'cases', 'show', `-${'A'.repeat(21)}`), /no such case/);
  assert.match(await desk.runRefused(1, 'cases', 'ask', id), /Write something/);
  assert.match(
    await desk.runRefused(1, 'cases', 'ask', id, '--text', 'x'.repeat(4_001)),
    /at most 4,000 characters; you have 4,001/,
  );
  assert.match(await desk.runRefused(1, 'cases', 'deliver', id), /Write the finding, or attach/);
  assert.match(
    await desk.runRefused(1, 'cases', 'purge', id, '--yes'),
    /no longer possible in the current state of the case/,
  );
  assert.match(await desk.runRefused(1, 'contact', 'done', unknown), /No such message is waiting/);
});

test('a private key is never sent, plain or under a passphrase, whatever option names its file', async () => {
  const before = await countStoredRows(shop);
  const encrypter = new Encrypter();
  encrypter.setPassphrase('small beacon, green anvil');
  encrypter.setScryptWorkFactor(10);
  const sealed = armor.encode(await encrypter.encrypt(await readFile(desk.key)));
  for (const args of [
    ['ask', id, '--file', desk.key],
    ['deliver', id, '--finding', desk.key],
    ['deliver', id, '--attach', desk.key],
    ['message', id, `--text=${sealed}`],
  ])
    assert.match(
      await desk.runRefused(1, 'cases', ...args),
      /contains a private key, .* so (?:it|nothing) was (?:not )?sent/,
    );
  const typed = await runCli(toOwnServiceEnv(shop), ['cases', 'ask', id], sealed);
  assert.deepEqual([typed.code, typed.stderr.startsWith('This contains a private key')], [1, true]);
  assert.deepEqual(await countStoredRows(shop), before);
});

test('a finding that is too large is refused before anything is sealed', async () => {
  const large = join(folder, 'large.bin');
  await writeFile(large, '');
  const { truncate } = await import('node:fs/promises');
  await truncate(large, 100 * 1024 * 1024 + 1);
  const before = await countStoredRows(shop);
  const line = await desk.runRefused(1, 'cases', 'deliver', id, '--attach', large);
  assert.match(line, /larger than 100 MB/);
  assert.deepEqual(await countStoredRows(shop), before);
});

test('78: a wrong configuration or a folder without a database is refused, and no database is created', async () => {
  const env = { DATA_DIR: join(folder, 'mistyped') };
  const due = ['cases', 'due'];
  const missing = await runCli(env, due);
  assert.deepEqual([missing.code, missing.stdout], [78, '']);
  assert.match(missing.stderr, /there is no database here; check DATA_DIR/);
  await assert.rejects(readFile(env.DATA_DIR), { code: 'ENOENT' });
  const wrong = await runCli({ ...env, PORT: 'x', SITE_URL: 'y' }, ['cases', 'list']);
  assert.equal(wrong.code, 78);
  assert.match(wrong.stderr, /^[^\n]*PORT: expected[^\n]*SITE_URL: expected[^\n]*\n$/);
});

test('69: an unreachable database is reported', async (t) => {
  const server = await openSharedPostgres(t);
  const env = {
    DATABASE_URL: server.toDatabaseUrl('lost'),
    MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  };
  const { code, stderr } = await runCli(env, ['cases', 'due']);
  assert.equal(code, 69, stderr);
  assert.match(stderr, /has no database of that name/);
});

test('74: a file that is not a database is reported', async () => {
  const dataDir = join(folder, 'broken');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'inquiry-office.db'), 'not a database'.repeat(1_000));
  const { code, stderr } = await runCli({ DATA_DIR: dataDir }, ['cases', 'due']);
  assert.equal(code, 74, stderr);
  assert.match(stderr, /not a usable database/);
});
