/** Bundles that are refused: damaged, empty, too late, or not allowed in the state of the case. */
import assert from 'node:assert/strict';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import { countStoredRows } from '#test/cases/row-counts.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, runCli, sendCase } from './desk-cli.ts';
import { createOfflineDeskCli } from './offline-desk-cli.ts';

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);
const elsewhere = await createOfflineDeskCli({ after }, shop);
const { key, createFileName, exportBundle, writeBundle } = elsewhere;

test('a damaged bundle is refused, and nothing of it is imported', async () => {
  const sent = await sendCase(shop);
  const path = await writeBundle(await exportBundle(sent), 'ask', '--text', 'Who?');
  const bytes = await readFile(path);
  bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
  await writeFile(path, bytes);
  const before = await countStoredRows(shop);
  assert.match(await desk.runRefused(66, 'cases', 'import', path), /changed or damaged/);
  await elsewhere.runRefused(66, 'cases', 'open', '--bundle', path, '--key', key);
  await elsewhere.runRefused(66, 'cases', 'open', '--bundle', key, '--key', key);
  assert.deepEqual(await countStoredRows(shop), before);
});

test('a bundle without new content, or whose case was purged, is not imported', async () => {
  const sent = await sendCase(shop);
  const bundle = await exportBundle(sent);
  assert.match(await desk.runRefused(1, 'cases', 'import', bundle), /nothing to import/);
  const declined = await writeBundle(bundle, 'decline', '--text', 'No');
  await desk.runForText('cases', 'import', declined);
  await desk.runForText('cases', 'purge', sent.id, '--yes');
  assert.match(await desk.runRefused(1, 'cases', 'import', declined), /no such case/);
});

test('an action that the state does not allow is refused on the offline machine, and no bundle is written', async () => {
  const sent = await sendCase(shop);
  const bundle = await exportBundle(sent);
  const declined = await writeBundle(bundle, 'decline', '--text', 'No');
  const out = createFileName();
  const to = ['--key', key, '--out', out, '--text', 'Who?'];
  assert.match(await elsewhere.runRefused(1, 'cases', 'ask', '--bundle', declined, ...to), /declined/);
  assert.match(
    await elsewhere.runRefused(1, 'cases', 'ask', '--bundle', bundle, ...to, '--offer-call'),
    /includes no call/,
  );
  await assert.rejects(stat(out), { code: 'ENOENT' });
  assert.match(
    await elsewhere.runRefused(73, 'cases', 'ask', '--bundle', bundle, ...to.with(3, declined)),
    /already exists/,
  );
  assert.match(
    await elsewhere.runRefused(64, 'cases', 'ask', '--bundle', bundle, '--key', key),
    /--out FILE/,
  );
  assert.match(
    await elsewhere.runRefused(64, 'cases', 'open', sent.id, '--bundle', bundle, '--key', key),
    /either ID or --bundle/,
  );
});

test('an export never replaces a file, and leaves no temporary file behind', async () => {
  const sent = await sendCase(shop);
  const path = createFileName();
  await appendFile(path, 'kept');
  assert.match(await desk.runRefused(73, 'cases', 'export', sent.id, '--out', path), /already exists/);
  assert.equal(await readFile(path, 'utf8'), 'kept');
  const { code } = await runCli({ DATA_DIR: shop.dataDir }, [
    'cases',
    'export',
    sent.id,
    '--out',
    '/dev/full/x',
  ]);
  assert.equal(code, 73);
});
