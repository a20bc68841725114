/** Case keys are pinned at the desk: a key in place of the genuine one is refused, and so is a changed file of pins. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { readPins } from '#desk/keys/pin-file.ts';
import { generateAgeIdentity } from '#seal/core/age.ts';
import { computeKeyFingerprint } from '#seal/core/case-key.ts';
import { createKeyPin } from '#seal/core/key-pin.ts';
import { countStoredRows } from '#test/cases/row-counts.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { assertNamesNothing } from '#test/desk/nameless-folder.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, sendCase } from './desk-cli.ts';
import { createForgedKey, swapStoredCaseKey } from './forged-key.ts';

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);
const folder = await createTemporaryFolder({ after });
let files = 0;

/** A desk key with no pins yet. */
async function copyDeskKey(): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.key`);
  await cp(desk.key, path);
  return path;
}

async function writeFinding(): Promise<string> {
  const path = join(folder, 'finding.md');
  await writeFile(path, 'CANARY-FINDING');
  return path;
}

test('the first opening says so with the fingerprint, and later ones do not', async () => {
  const sent = await sendCase(shop);
  const key = await copyDeskKey();
  const fingerprint = computeKeyFingerprint(sent.key.recipient);
  const first = await desk.run('cases', 'open', sent.id, '--key', key);
  assert.equal(first.code, 0, first.stderr);
  assert.match(
    first.stderr,
    new RegExp(`^First opening .* fingerprint, ${fingerprint}, is pinned in .*\\n$`),
  );
  assert.match(first.stdout, new RegExp(`^Fingerprint +${fingerprint}$`, 'm'));
  assert.equal((await stat(`${key}.pins`)).mode & 0o777, 0o600);
  const again = await desk.run('cases', 'open', sent.id, '--key', key, '--json');
  assert.deepEqual([again.code, again.stderr], [0, '']);
  assert.equal(JSON.parse(again.stdout).fingerprint, fingerprint);
});

test('a key put in the place of the genuine one is refused by every command, and the genuine one opens again', async () => {
  const sent = await sendCase(shop);
  const key = await copyDeskKey();
  await desk.runForText('cases', 'open', sent.id, '--key', key);
  const restore = await swapStoredCaseKey(shop, sent, await createForgedKey(shop, sent));
  const before = await countStoredRows(shop);
  const text = ['--text', 'CANARY'];
  for (const args of [
    ['open', sent.id],
    ['message', sent.id, ...text],
    ['decline', sent.id, ...text],
    ['deliver', sent.id, '--finding', await writeFinding()],
  ])
    assert.match(
      await desk.runRefused(65, 'cases', ...args, '--key', key),
      /not the one that was pinned \(its fingerprint is \d{5}(?: \d{5}){3} now\)/,
    );
  assert.deepEqual(await countStoredRows(shop), before);
  await restore();
  await desk.runForText('cases', 'ask', sent.id, '--key', key, '--text', 'Who?');
});

test('a file of pins with a changed, removed or added line is refused, and so is another file', async () => {
  const [one, two] = [await sendCase(shop), await sendCase(shop)];
  const key = await copyDeskKey();
  const pins = `${key}.pins`;
  for (const { id } of [one, two]) await desk.runForText('cases', 'open', id, '--key', key);
  const whole = await readFile(pins, 'utf8');
  const [head, first, second, mac, end] = whole.split('\n');
  assert.deepEqual([end, first! < second!], ['', true]);
  for (const lines of [
    [head, second, mac, ''],
    [head, mac, ''],
    [head, first, second, first, mac, ''],
    [head, first?.replace(/^.{10}/, 'AAAAAAAAAA'), second, mac, ''],
    [head, first?.replace(/\d{4}-/, '9999-'), second, mac, ''],
    [head, first, second, ''],
    [head, first, second, mac],
    [''],
    ['x'],
  ]) {
    await writeFile(pins, lines.join('\n'));
    const line = await desk.runRefused(65, 'cases', 'open', one.id, '--key', key);
    assert.match(line, /\.pins: damaged, or changed without the key, so no case is opened\. Restore your/);
    assert.equal(await readFile(pins, 'utf8'), lines.join('\n'), 'it is left as it is');
  }
  await writeFile(pins, whole);
  await desk.runForText('cases', 'open', one.id, '--key', key);
  const identity = await generateAgeIdentity();
  await assert.rejects(readPins({ identity, path: pins }), /pins of another key/);
  const before = await readFile(key, 'utf8');
  await desk.runRefused(65, 'cases', 'open', one.id, '--key', key, '--pins', key);
  assert.equal(await readFile(key, 'utf8'), before, 'a key named by mistake is not replaced');
});

test('openings at the same time lose no pin', async () => {
  const key = await copyDeskKey();
  const cases = [await sendCase(shop), await sendCase(shop), await sendCase(shop)];
  const ended = await Promise.all(
    [...cases, ...cases].map(({ id }) => desk.run('cases', 'open', id, '--key', key)),
  );
  for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
  assert.equal(ended.filter(({ stderr }) => stderr.startsWith('First opening')).length, cases.length);
  const lines = (await readFile(`${key}.pins`, 'utf8')).split('\n').slice(1, -2);
  assert.equal(new Set(lines).size, cases.length);
  await rm(`${key}.pins`);
  const { stderr } = await desk.run('cases', 'open', cases[0]!.id, '--key', key);
  assert.match(stderr, /^First opening/, 'without its file, a key has opened nothing yet');
});

test('of a case that was opened, answered and purged nothing beside the key has a name', async () => {
  const sent = await sendCase(shop);
  const key = await copyDeskKey();
  for (const args of [
    ['open', sent.id, '--key', key],
    ['ask', sent.id, '--key', key, '--text', 'Who?'],
    ['decline', sent.id, '--key', key, '--text', 'We cannot'],
    ['list', '--key', key],
    ['purge', sent.id, '--yes'],
  ])
    await desk.runForText('cases', ...args);
  const { lookup_hash, recipient_hash } = createKeyPin(sent.id, sent.key);
  await assertNamesNothing(folder, [sent.id, lookup_hash, recipient_hash]);
});

test('a key from a pipe needs --pins, and pins that cannot be written stop the command', async () => {
  const { id } = await sendCase(shop);
  const pipe = join(folder, 'pipe.key');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const runWithPipe = async <Result>(command: Promise<Result>): Promise<Result> => {
    await writeFile(pipe, await readFile(desk.key));
    return await command;
  };
  const open = ['cases', 'open', id, '--key', pipe];
  assert.match(await runWithPipe(desk.runRefused(64, ...open)), /--pins FILE is missing/);
  const pins = join(folder, 'elsewhere.pins');
  await runWithPipe(desk.runForText(...open, '--pins', pins));
  assert.ok((await stat(pins)).isFile());
  const nowhere = '/proc/nowhere.pins';
  assert.match(
    await desk.runRefused(73, 'cases', 'ask', id, '--key', desk.key, '--pins', nowhere, '--text', 'Who?'),
    /cannot be written/,
  );
  assert.doesNotMatch(await desk.runForText('cases', 'show', id), /desk message/);
});
