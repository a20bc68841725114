/** A private key under a passphrase: created, asked for on a terminal, and in the format of age itself. */
import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { armor, Decrypter, Encrypter } from 'age-encryption';
import { openKeyText, parseKeyText } from '#desk/keys/key-text.ts';
import { generateAgeIdentity } from '#seal/core/age.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import { runOnTerminal } from './desk-cli.ts';

const PASSPHRASE = 'kettle north violin beacon ü';
/** A low work factor, because only the format is tested. */
const LOG_N = 10;

async function writeKey(file: string): Promise<string> {
  const identity = await generateAgeIdentity();
  await writeFile(file, `# Sam\n${identity}\n`, { mode: 0o600 });
  return identity;
}

test('keys protect asks twice, replaces the file that a link leads to, and shows nothing of what was typed', async (t) => {
  const folder = await createTemporaryFolder(t);
  await mkdir(join(folder, 'real'));
  const [file, link] = [join(folder, 'real', 'sam.key'), join(folder, 'sam.key')];
  const identity = await writeKey(file);
  await symlink(file, link);
  const { code, output } = await runOnTerminal({}, ['keys', 'protect', link], [PASSPHRASE, PASSPHRASE]);
  assert.equal(code, 0, output);
  assert.ok((await lstat(link)).isSymbolicLink());
  assert.doesNotMatch(output, /kettle|AGE-SECRET/);
  const text = await readFile(file);
  assert.match(text.toString(), /^-----BEGIN AGE ENCRYPTED FILE-----\n/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const left = await readdir(folder, { recursive: true });
  assert.deepEqual(left.toSorted(), ['real', 'real/sam.key', 'sam.key']);
  assert.equal(parseKeyText('sam.key', text), null);
  assert.equal(await openKeyText('sam.key', text, PASSPHRASE), identity);
  if (isLongRun) await assertOpenedByAge(text.toString(), `# Sam\n${identity}\n`);
  const again = await runOnTerminal({}, ['keys', 'protect', file], [PASSPHRASE, PASSPHRASE]);
  assert.equal(again.code, 1);
  assert.match(again.output, /already has a passphrase/);
});

/** Decrypts with the library alone, whose JavaScript stretches a passphrase for seconds. */
async function assertOpenedByAge(file: string, content: string): Promise<void> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(PASSPHRASE);
  assert.equal(await decrypter.decrypt(armor.decode(file), 'text'), content);
}

test('a short or mistyped passphrase, and an interrupted question, change nothing', async (t) => {
  const file = join(await createTemporaryFolder(t), 'sam.key');
  await writeKey(file);
  const before = await readFile(file, 'utf8');
  for (const [answers, code, said] of [
    [['short'], 1, /fewer than 12 characters/],
    [[PASSPHRASE, `${PASSPHRASE}x`], 1, /The two passphrases differ/],
    [['\u0003'], 66, /No passphrase was entered/],
  ] as const) {
    const result = await runOnTerminal({}, ['keys', 'protect', file], answers);
    assert.equal(result.code, code, result.output);
    assert.match(result.output, said);
  }
  assert.equal(await readFile(file, 'utf8'), before);
});

async function sealForAge(text: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(PASSPHRASE);
  encrypter.setScryptWorkFactor(LOG_N);
  return await encrypter.encrypt(text);
}

test('files of age are read armored and binary; wrong passphrases and damage are told apart', async () => {
  const identity = await generateAgeIdentity();
  const binary = await sealForAge(`${identity}\n`);
  const armored = Buffer.from(`\n${armor.encode(binary)}`);
  for (const bytes of [binary, armored, Buffer.from(armored.toString().replaceAll('\n', '\r\n'))]) {
    assert.equal(parseKeyText('a.key', bytes), null);
    assert.equal(await openKeyText('a.key', bytes, PASSPHRASE), identity);
    await assert.rejects(openKeyText('a.key', bytes, 'another one'), /does not open the key/);
  }
  const damaged = Uint8Array.from(binary);
  damaged[damaged.length - 1]! ^= 1;
  await assert.rejects(openKeyText('a.key', damaged, PASSPHRASE), /a\.key: damaged/);
  await assert.rejects(openKeyText('a.key', await sealForAge('nothing'), PASSPHRASE), /not a private key/);
  const greedy = Buffer.from(
    Buffer.from(binary)
      .toString('latin1')
      .replace(/(-> scrypt \S+) 10\n/, '$1 30\n'),
    'latin1',
  );
  await assert.rejects(openKeyText('a.key', greedy, PASSPHRASE), /a\.key: damaged/);
});

test('a command with --key asks for the passphrase, and goes on with the right one alone', async (t) => {
  const folder = await createTemporaryFolder(t);
  const file = join(folder, 'sam.key');
  await writeFile(file, await sealForAge(`${await generateAgeIdentity()}\n`), { mode: 0o600 });
  const open = ['cases', 'open', 'A'.repeat(22), '--key', file];
  const wrong = await runOnTerminal({ DATA_DIR: folder }, open, ['another one']);
  assert.equal(wrong.code, 77, wrong.output);
  assert.match(wrong.output, /does not open the key/);
  const right = await runOnTerminal({ DATA_DIR: folder }, open, [PASSPHRASE]);
  assert.doesNotMatch(right.output, /does not open the key|kettle/);
  assert.notEqual(right.code, 77, right.output);
});
