/** Bundles: a case on another machine, without database or configuration, and what was written there brought back. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openCaseFile, openFileOf } from '#cases/decrypted-case.ts';
import { readCaseFile } from '#cases/sealed-case.ts';
import { stored } from '#test/cases/stored.ts';
import { openShop } from '#test/shop.ts';
import { buyerWrites, deskOf, type SentCase, sendCase, storedCase } from './desk.ts';
import { goElsewhere } from './elsewhere.ts';

const shop = await openShop({ after });
const desk = deskOf(shop);
const elsewhere = await goElsewhere({ after }, shop);
const { key, folder, exported, written } = elsewhere;

async function readBack(sent: SentCase) {
  const file = await readCaseFile(shop.services, await storedCase(shop, sent));
  return { file, opened: await openCaseFile(file, sent.keys.identity) };
}

test('a case is read, asked about and delivered elsewhere, and the buyer reads all of it', async () => {
  const photo = { name: 'photo.jpg', content: Buffer.from('CANARY-PHOTO') };
  const sent = await sendCase(shop, { tier: 'Dossier', files: [photo] });
  const bundle = await exported(sent);
  assert.equal((await stat(bundle)).mode & 0o777, 0o600);

  const out = join(folder, 'opened');
  const text = await elsewhere.text('cases', 'open', '--bundle', bundle, '--key', key, '--out', out);
  assert.match(text, /CANARY-QUESTION/);
  assert.deepEqual(await readFile(join(out, 'inquiry-1-photo.jpg')), photo.content);

  const report = join(folder, 'report.pdf');
  await writeFile(report, Buffer.alloc(700_001, 'CANARY-REPORT'));
  await writeFile(join(folder, 'finding.md'), 'CANARY-FINDING');
  const asked = await written(bundle, 'ask', '--text', 'Who? CANARY-ASKED', '--offer-call');
  const both = await written(asked, 'deliver', '--finding', join(folder, 'finding.md'), '--attach', report);
  assert.match(
    await elsewhere.text('cases', 'open', '--bundle', both, '--key', key),
    /CANARY-ASKED.*CANARY-FINDING/s,
  );

  const first = await desk.json('cases', 'import', both);
  assert.equal(first['repeated'], false);
  const before = await stored(shop);
  const second = await desk.json('cases', 'import', both);
  assert.deepEqual(second, { ...first, repeated: true });
  assert.deepEqual(await stored(shop), before, 'twice is once');

  const { file, opened } = await readBack(sent);
  assert.deepEqual([opened.record.state, opened.record.call], ['delivered', 'offered']);
  assert.equal(opened.messages[0]?.text, 'Who? CANARY-ASKED');
  assert.equal(opened.finding?.markdown, 'CANARY-FINDING');
  const attached = await openFileOf(file, opened.key, 'finding-file.v1', 0);
  assert.deepEqual(
    Buffer.concat(await Array.fromAsync(attached!.content)),
    Buffer.alloc(700_001, 'CANARY-REPORT'),
  );
});

test('a bundle holds the case sealed, and no key that a purge would shred', async () => {
  const sent = await sendCase(shop);
  const bytes = await readFile(await exported(sent));
  const { key_box: box } = await storedCase(shop, sent);
  const { key: shredKey } = await shop.store.shredKeys
    .selectFrom('shred_keys')
    .select('key')
    .where('case_id', '=', sent.id)
    .executeTakeFirstOrThrow();
  for (const [what, secret] of Object.entries({ box, shredKey, text: Buffer.from('CANARY') }))
    assert.equal(bytes.indexOf(secret), -1, what);
  assert.ok(bytes.indexOf(Buffer.from(sent.caseKey)) > 0);
});

test('what was written elsewhere is refused once the buyer has written meanwhile', async () => {
  const sent = await sendCase(shop);
  const asked = await written(await exported(sent), 'ask', '--text', 'Anything else?');
  await buyerWrites(shop, sent, 0, 'One more thing');
  const before = await stored(shop);
  assert.match(await desk.refusal(1, 'cases', 'import', asked), /has moved on since/);
  assert.deepEqual(await stored(shop), before);
  assert.equal((await storedCase(shop, sent)).state, 'received');
});

test('of two investigators who write elsewhere the first is taken, and the second told', async () => {
  const sent = await sendCase(shop);
  const bundle = await exported(sent);
  const [mine, yours] = [
    await written(bundle, 'message', '--text', 'Mine'),
    await written(bundle, 'message', '--text', 'Yours'),
  ];
  await desk.text('cases', 'take', sent.id);
  assert.match(await desk.text('cases', 'import', mine), /^Brought back\. The case is in progress/);
  assert.match(await desk.refusal(1, 'cases', 'import', yours), /has moved on since/);
  await buyerWrites(shop, sent, 0, 'Thanks');
  assert.match(await desk.text('cases', 'import', mine), /brought back before/);
  const { opened } = await readBack(sent);
  assert.deepEqual(
    opened.messages.map(({ text }) => text),
    ['Mine', 'Thanks'],
  );
});

test('an import that was broken off goes on where it stopped', async () => {
  const sent = await sendCase(shop);
  const once = await written(await exported(sent), 'message', '--text', 'First');
  const twice = await written(once, 'decline', '--text', 'We cannot');
  await desk.text('cases', 'import', once);
  assert.match(await desk.text('cases', 'import', twice), /^Brought back\. The case is declined, purged on/);
  assert.equal((await readBack(sent)).opened.messages.length, 2);
});
