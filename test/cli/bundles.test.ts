/** Bundles: a case on another machine, without database or configuration, and what was written there brought back. */
import assert from 'node:assert/strict';
import { appendFile, cp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { readCaseFile } from '#cases/case-file.ts';
import { openCaseFile, openFileOf } from '#cases/opened-case.ts';
import { stored } from '#test/cases/stored.ts';
import { ownFolder } from '#test/folder.ts';
import { openShop } from '#test/shop.ts';
import { buyerWrites, type Desk, deskOf, runCli, type SentCase, sendCase, storedCase } from './desk.ts';

const shop = await openShop({ after });
const desk = deskOf(shop);
const folder = await ownFolder({ after });
const key = join(folder, 'desk.key');
await cp(desk.key, key);
let names = 0;

/** A machine that knows nothing of the office: its configuration would be refused, and no database is there. */
const elsewhere: Desk = { ...deskOf({ dataDir: '/nowhere' }, { DATABASE_URL: 'wrong', PORT: 'wrong' }), key };

function newName(): string {
  names += 1;
  return join(folder, `${names}.bundle`);
}

async function exported({ id }: SentCase): Promise<string> {
  const path = newName();
  assert.match(await desk.text('cases', 'export', id, '--out', path), /outlives a purge/);
  return path;
}

async function written(bundle: string, ...args: string[]): Promise<string> {
  const out = newName();
  const [act = '', ...rest] = args;
  await elsewhere.text('cases', act, '--bundle', bundle, '--key', key, '--out', out, ...rest);
  return out;
}

async function readBack(sent: SentCase) {
  const file = await readCaseFile(shop.registry, await storedCase(shop, sent));
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

test('a bundle that is damaged, cut, prolonged or none at all is refused, and nothing of it is used', async () => {
  const sent = await sendCase(shop);
  const whole = await readFile(await written(await exported(sent), 'ask', '--text', 'Who?'));
  const index = whole.indexOf('"state"');
  const faults: [how: string, bytes: Uint8Array, says: RegExp][] = [
    ['one bit in a seal', flipped(whole, whole.length - 5_000), /changed or damaged/],
    ['one bit in the checksum', flipped(whole, whole.length - 10), /changed or damaged/],
    ['another state', replaced(whole, '"awaiting_client"', '"in_progress"    '), /changed or damaged/],
    ['a broken index', flipped(whole, index), /index/],
    ['an unknown field', replaced(whole, '"acts":', '"abts":'), /index/],
    ['cut', whole.subarray(0, -100), /not complete/],
    ['prolonged', Buffer.concat([whole, Buffer.from('x')]), /not complete/],
    ['empty', new Uint8Array(), /no bundle/],
    ['something else', Buffer.from('%PDF-1.7\n'.repeat(100)), /no bundle/],
    ['only its first line', whole.subarray(0, 29), /not complete/],
    ['a newer one', replaced(whole, 'bundle 1\n', 'bundle 2\n'), /newer version/],
  ];
  const before = await stored(shop);
  for (const [how, bytes, says] of faults) {
    const path = newName();
    await writeFile(path, bytes);
    assert.match(await desk.refusal(66, 'cases', 'import', path), says, how);
  }
  const path = newName();
  await writeFile(path, flipped(whole, 5_000));
  await elsewhere.refusal(66, 'cases', 'open', '--bundle', path, '--key', key);
  assert.deepEqual(await stored(shop), before);
});

test('a bundle that nobody wrote into, or whose case is gone, brings nothing back', async () => {
  const sent = await sendCase(shop);
  const bundle = await exported(sent);
  assert.match(await desk.refusal(1, 'cases', 'import', bundle), /nothing to bring back/);
  const declined = await written(bundle, 'decline', '--text', 'No');
  await desk.text('cases', 'import', declined);
  await desk.text('cases', 'purge', sent.id, '--yes');
  assert.match(await desk.refusal(1, 'cases', 'import', declined), /no such case/);
});

test('what the states do not allow is refused in the bundle already, and no result is written', async () => {
  const sent = await sendCase(shop);
  const bundle = await exported(sent);
  const declined = await written(bundle, 'decline', '--text', 'No');
  const out = newName();
  const to = ['--key', key, '--out', out, '--text', 'Who?'];
  assert.match(await elsewhere.refusal(1, 'cases', 'ask', '--bundle', declined, ...to), /declined/);
  assert.match(
    await elsewhere.refusal(1, 'cases', 'ask', '--bundle', bundle, ...to, '--offer-call'),
    /includes no call/,
  );
  await assert.rejects(stat(out), { code: 'ENOENT' });
  assert.match(
    await elsewhere.refusal(73, 'cases', 'ask', '--bundle', bundle, ...to.with(3, declined)),
    /is there already/,
  );
  assert.match(await elsewhere.refusal(64, 'cases', 'ask', '--bundle', bundle, '--key', key), /--out FILE/);
  assert.match(
    await elsewhere.refusal(64, 'cases', 'open', sent.id, '--bundle', bundle, '--key', key),
    /either ID or --bundle/,
  );
});

test('an export never replaces a file, and leaves no draft behind', async () => {
  const sent = await sendCase(shop);
  const path = newName();
  await appendFile(path, 'kept');
  assert.match(await desk.refusal(73, 'cases', 'export', sent.id, '--out', path), /is there already/);
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

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  assert.equal(from.length, to.length);
  return Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
}
