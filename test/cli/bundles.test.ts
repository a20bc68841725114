/** Bundles: a case worked on another machine, without database or configuration, and the result imported. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openAttachedFile, openSealedCase } from '#cases/decrypted-case.ts';
import { readSealedCase } from '#cases/sealed-case.ts';
import { countStoredRows } from '#test/cases/row-counts.ts';
import { requireContent } from '#test/cases/stored-case.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, type SentCase, sendBuyerMessage, sendCase } from './desk-cli.ts';
import { createOfflineDeskCli } from './offline-desk-cli.ts';

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);
const elsewhere = await createOfflineDeskCli({ after }, shop);
const { key, folder, exportBundle, writeBundle } = elsewhere;

async function readStoredCase(sent: SentCase) {
  const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
  return { file, opened: await openSealedCase(file, sent.keys.identity) };
}

test('a case is opened, questioned and delivered on an offline machine, and the buyer reads all of it', async () => {
  const photo = { name: 'photo.jpg', content: Buffer.from('CANARY-PHOTO') };
  const sent = await sendCase(shop, { tier: 'Dossier', files: [photo] });
  const bundle = await exportBundle(sent);
  assert.equal((await stat(bundle)).mode & 0o777, 0o600);

  const out = join(folder, 'opened');
  const text = await elsewhere.runForText('cases', 'open', '--bundle', bundle, '--key', key, '--out', out);
  assert.match(text, /CANARY-QUESTION/);
  assert.deepEqual(await readFile(join(out, 'inquiry-1-photo.jpg')), photo.content);

  const report = join(folder, 'report.pdf');
  await writeFile(report, Buffer.alloc(700_001, 'CANARY-REPORT'));
  await writeFile(join(folder, 'finding.md'), 'CANARY-FINDING');
  const askBundle = await writeBundle(bundle, 'ask', '--text', 'Who? CANARY-ASKED', '--offer-call');
  const both = await writeBundle(
    askBundle,
    'deliver',
    '--finding',
    join(folder, 'finding.md'),
    '--attach',
    report,
  );
  assert.match(
    await elsewhere.runForText('cases', 'open', '--bundle', both, '--key', key),
    /CANARY-ASKED.*CANARY-FINDING/s,
  );

  const first = await desk.runForJson('cases', 'import', both);
  assert.equal(first['repeated'], false);
  const before = await countStoredRows(shop);
  const second = await desk.runForJson('cases', 'import', both);
  assert.deepEqual(second, { ...first, repeated: true });
  assert.deepEqual(await countStoredRows(shop), before, 'twice is once');

  const { file, opened } = await readStoredCase(sent);
  assert.deepEqual([opened.record.state, opened.record.call], ['delivered', 'offered']);
  assert.equal(requireContent(opened.messages[0]?.said).text, 'Who? CANARY-ASKED');
  assert.equal(requireContent(opened.finding).markdown, 'CANARY-FINDING');
  const attached = await openAttachedFile(file, opened.key, { kind: 'finding-file.v1', seq: 0 });
  assert.deepEqual(
    Buffer.concat(await Array.fromAsync(attached!.content)),
    Buffer.alloc(700_001, 'CANARY-REPORT'),
  );
});

test('a bundle holds the case sealed, and no key that a purge would shred', async () => {
  const sent = await sendCase(shop);
  const bytes = await readFile(await exportBundle(sent));
  const record = await requireStoredCase(shop, sent);
  const { key_box: box } = record;
  const shredKey = await shop.store.shredKeys.read(record);
  assert.ok(shredKey);
  for (const [what, secret] of Object.entries({ box, shredKey, text: Buffer.from('CANARY') }))
    assert.equal(bytes.indexOf(secret), -1, what);
  assert.ok(bytes.indexOf(Buffer.from(sent.caseKey)) > 0);
});

test('an import is refused once the buyer has written in the meantime', async () => {
  const sent = await sendCase(shop);
  const askBundle = await writeBundle(await exportBundle(sent), 'ask', '--text', 'Anything else?');
  await sendBuyerMessage(shop, sent, 0, 'One more thing');
  const before = await countStoredRows(shop);
  assert.match(await desk.runRefused(1, 'cases', 'import', askBundle), /has changed since/);
  assert.deepEqual(await countStoredRows(shop), before);
  assert.equal((await requireStoredCase(shop, sent)).state, 'received');
});

test('of two investigators who work offline, the first import wins and the second is refused', async () => {
  const sent = await sendCase(shop);
  const bundle = await exportBundle(sent);
  const [mine, yours] = [
    await writeBundle(bundle, 'message', '--text', 'Mine'),
    await writeBundle(bundle, 'message', '--text', 'Yours'),
  ];
  await desk.runForText('cases', 'take', sent.id);
  assert.match(await desk.runForText('cases', 'import', mine), /^Imported\. The case is in progress/);
  assert.match(await desk.runRefused(1, 'cases', 'import', yours), /has changed since/);
  await sendBuyerMessage(shop, sent, 0, 'Thanks');
  assert.match(await desk.runForText('cases', 'import', mine), /imported before/);
  const { opened } = await readStoredCase(sent);
  assert.deepEqual(
    opened.messages.map(({ said }) => requireContent(said).text),
    ['Mine', 'Thanks'],
  );
});

test('an interrupted import resumes where it stopped', async () => {
  const sent = await sendCase(shop);
  const once = await writeBundle(await exportBundle(sent), 'message', '--text', 'First');
  const twice = await writeBundle(once, 'decline', '--text', 'We cannot');
  await desk.runForText('cases', 'import', once);
  assert.match(
    await desk.runForText('cases', 'import', twice),
    /^Imported\. The case is declined, purged on/,
  );
  assert.equal((await readStoredCase(sent)).opened.messages.length, 2);
});
