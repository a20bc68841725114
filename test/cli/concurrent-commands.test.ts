/** Commands that run concurrently with the service and each other: nothing is lost, doubled or half done. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { requireContent } from '#test/cases/stored-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, runCli, sendCase, toOwnServiceEnv } from './desk-cli.ts';

const shop = await startTestShop({ after });
const own = createDeskCli(shop);

test('of two concurrent deliveries one succeeds', async (t) => {
  const folder = await createTemporaryFolder(t);
  const sent = await sendCase(shop);
  const ended = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const path = join(folder, `${name}.bin`);
      await writeFile(path, Buffer.alloc(2_000_000, name));
      return await own.run('cases', 'deliver', sent.id, '--attach', path);
    }),
  );
  assert.deepEqual(
    ended.map(({ code }) => Number(code)).toSorted((a, b) => a - b),
    [0, 1],
  );
  const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
  const { finding } = await openSealedCase(file, sent.keys.identity);
  assert.equal(requireContent(finding).files.length, 1);
});

test('a text can be read from standard input, and a purge is confirmed there', async () => {
  const env = toOwnServiceEnv(shop);
  const { id } = await sendCase(shop);
  const declined = await runCli(env, ['cases', 'decline', id], 'We cannot.\nSorry.\n');
  assert.equal(declined.code, 0, declined.stderr);
  const { messages } = await own.runForJson<{ messages: { text: string }[] }>('cases', 'open', id);
  assert.equal(messages[0]?.text, 'We cannot.\nSorry.');
  const wrong = await runCli(env, ['cases', 'purge', id], 'yes\n');
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  const purged = await runCli(env, ['cases', 'purge', id], 'purge\n');
  assert.deepEqual([purged.code, purged.stdout], [0, 'Purged.\n']);
});

test('an interrupted command leaves no half-written file', async (t) => {
  const out = join(await createTemporaryFolder(t), 'out');
  const content = Buffer.alloc(20_000_000, 'CANARY');
  const { id } = await sendCase(shop, { files: [{ name: 'large.bin', content }] });
  const child = spawn(process.execPath, ['bin/office.js', 'cases', 'open', id, '--out', out], {
    env: { PATH: process.env['PATH'] ?? '', ...toOwnServiceEnv(shop) },
    stdio: 'ignore',
  });
  const closed = once(child, 'close');
  await waitUntil('a file is begun', async () => (await readdir(out).catch(() => [])).length > 0);
  child.kill('SIGINT');
  const [code] = (await closed) as [number];
  assert.equal(code, 130);
  assert.deepEqual(await readdir(out), []);
});

test('a closed output pipe ends the command without an error message', async () => {
  const child = spawn(process.execPath, ['bin/office.js', 'cases', 'list', '--json'], {
    env: { PATH: process.env['PATH'] ?? '', ...toOwnServiceEnv(shop) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  assert.deepEqual([code, output], [74, '']);
});
