/** Opening a case: files go only to the given folder, complete or not at all, and no text controls the terminal. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { findOrder } from '#store/orders/orders.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, sendBuyerMessage, sendCase } from './desk-cli.ts';

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);

function createNamedFile(name: string, content = name) {
  return { name, content: Buffer.from(content) };
}

test('file names from the case cannot leave the folder, hide a file or run', async (t) => {
  const folder = await createTemporaryFolder(t);
  const names = [
    '.bashrc',
    'CON.txt',
    'b\u202egpj.exe',
    `${'調'.repeat(200)}.pdf`,
    '..',
    'statement.pdf.html',
  ];
  const { id } = await sendCase(shop, { files: names.map((name) => createNamedFile(name)) });
  const out = join(folder, 'deep', 'out');
  const open = ['cases', 'open', id, '--out', out];
  const { saved } = await desk.runForJson<{ saved: string[] }>(...open);
  assert.deepEqual(await readdir(folder), ['deep']);
  const written = await readdir(out);
  assert.deepEqual(
    written.toSorted(),
    [
      'inquiry-1-bashrc',
      'inquiry-2-_CON.txt',
      'inquiry-3-b_gpj.exe.txt',
      `inquiry-4-${'調'.repeat(65)}.pdf`,
      'inquiry-5-file',
      'inquiry-6-statement.pdf.html.txt',
    ].toSorted(),
  );
  assert.equal(saved.length, names.length);
  assert.equal((await stat(out)).mode & 0o777, 0o700);
  for (const name of written) {
    assert.equal((await stat(join(out, name))).mode & 0o777, 0o600);
    const index = Number(name.split('-')[1]) - 1;
    assert.equal(await readFile(join(out, name), 'utf8'), names[index]);
  }
});

test('a file whose name is a path is not written', async (t) => {
  const out = join(await createTemporaryFolder(t), 'out');
  const names = ['../../outside.txt', '..\\..\\outside.txt', '/etc/passwd', 'a\u001b[2Jb.txt'];
  const { id } = await sendCase(shop, { files: names.map((name) => createNamedFile(name)) });
  const { code, stderr } = await desk.run('cases', 'open', id, '--out', out);
  assert.equal(code, 65);
  assert.match(stderr, /inquiry file 1: It is damaged.*inquiry file 4: It is damaged/s);
  // An inquiry that lists such names is not in our form, so it is saved as a file too.
  assert.deepEqual(await readdir(out), ['inquiry-1.txt']);
});

test('text and JSON name the payment and the inquiry; files go to a folder that can be made, and replace nothing', async (t) => {
  const { id } = await sendCase(shop, { files: [createNamedFile('one.txt'), createNamedFile('two.txt')] });
  const open = ['cases', 'open', id];
  const text = await desk.runForText(...open);
  assert.match(text, /There are 2 files; --out FOLDER saves them\.\n$/);
  const payment = /^Payment: (\S+)$/m.exec(text)?.[1] ?? '';
  assert.equal((await findOrder(shop.store.records, payment))?.redeemed, 1, 'so that it can be refunded');
  const { inquiry, finding, messages, saved } = await desk.runForJson(...open);
  assert.equal((inquiry as Inquiry).question, 'Is this recruiter who she says she is? CANARY-QUESTION');
  assert.deepEqual([finding, messages, saved], [null, [], []]);
  const out = await createTemporaryFolder(t);
  const own = join(out, 'inquiry-1-one.txt');
  await writeFile(own, 'mine');
  const line = await desk.runRefused(73, ...open, '--out', out);
  assert.match(line, /inquiry-1-one\.txt: already exists/);
  assert.equal(await readFile(own, 'utf8'), 'mine');
  await desk.runRefused(73, ...open, '--out', join(own, 'x'));
  await mkdir(join(out, 'there'));
  await desk.runForText(...open, '--out', join(out, 'there'));
});

test('a file whose last piece was changed is not written, and the other files are', async (t) => {
  const out = await createTemporaryFolder(t);
  const files = [createNamedFile('large.bin', 'x'.repeat(900_000)), createNamedFile('small.txt')];
  const { id } = await sendCase(shop, { files });
  const { number, piece, bytes } = await shop.store.records
    .selectFrom('object_pieces')
    .innerJoin('objects', 'objects.number', 'object_pieces.object_number')
    .select(['object_pieces.number', 'piece', 'object_pieces.bytes'])
    .where('case_id', '=', id)
    .orderBy('piece', 'desc')
    .executeTakeFirstOrThrow();
  assert.ok(piece > 2);
  const changed = Buffer.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  await shop.store.records
    .updateTable('object_pieces')
    .set({ bytes: changed })
    .where('number', '=', number)
    .execute();
  const { code, stdout, stderr } = await desk.run('cases', 'open', id, '--out', out);
  assert.equal(code, 65);
  assert.match(stdout, /CANARY-QUESTION.*inquiry-2-small\.txt/s, 'what opens is shown');
  assert.match(stderr, /^Some parts cannot be opened\. inquiry file 1: It is damaged or was changed/m);
  assert.deepEqual(await readdir(out), ['inquiry-2-small.txt']);
});

test('an inquiry or a message that does not open is an error that says why, in text and in JSON', async () => {
  const sent = await sendCase(shop);
  await sendBuyerMessage(shop, sent, 0, 'CANARY-FIRST');
  const open = ['cases', 'open', sent.id];
  assert.deepEqual((await desk.runForJson(...open))['unreadable'], []);
  for (const kind of ['inquiry.v1', 'buyer-message.v1'] as const) {
    const { number, bytes } = await shop.store.records
      .selectFrom('objects')
      .select(['number', 'bytes'])
      .where('case_id', '=', sent.id)
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow();
    const storeBytes = async (value: Uint8Array) =>
      await shop.store.records
        .updateTable('objects')
        .set({ bytes: value })
        .where('number', '=', number)
        .execute();
    const changed = Buffer.from(bytes ?? []);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await storeBytes(changed);
    const printed = await desk.run(...open);
    assert.equal(printed.code, 65);
    assert.match(printed.stderr, /Some parts cannot be opened\. (inquiry|buyer message) 1: It is damaged/);
    assert.match(printed.stdout, /INQUIRY/);
    const { code, stdout } = await desk.run(...open, '--json');
    assert.equal(code, 65);
    const { inquiry, messages, unreadable } = JSON.parse(stdout);
    assert.deepEqual(
      [inquiry === null, messages[0].text],
      kind === 'inquiry.v1' ? [true, 'CANARY-FIRST'] : [false, null],
    );
    const [{ detail, ...part }] = unreadable;
    assert.deepEqual([unreadable.length, part], [1, { kind, seq: 0, reason: 'tampered' }]);
    assert.match(detail, /^It is damaged/);
    await storeBytes(bytes ?? changed);
  }
});

test('a buyer’s text cannot control the terminal, in text or in JSON', async () => {
  const sent = await sendCase(shop);
  const hostile = 'first\nsecond \u001b]0;title\u0007\u001b[2J\u009b31m \u202eevil\rover\u0000';
  await sendBuyerMessage(shop, sent, 0, hostile);
  const open = ['cases', 'open', sent.id];
  const text = await desk.runForText(...open);
  assert.match(text, /Buyer, .* UTC\n {2}first\n {2}second \ufffd\]0;title/);
  const printed = await desk.runForText(...open, '--json');
  for (const output of [text, printed])
    assert.doesNotMatch(output, /(?![\n\t])[\p{Cc}\u202e]/u, 'no control character but line ends');
  const { messages } = JSON.parse(printed) as { messages: { text: string }[] };
  assert.equal(messages[0]?.text, hostile, 'JSON means the same');
});

test('a message of an unexpected shape is not printed, and saved as a file', async (t) => {
  const sent = await sendCase(shop);
  const malformed = { text: 7, why: 'CANARY-ODD' };
  await addSealedMessage(shop.services, sent, { by: 'buyer', seq: 0 }, malformed);
  const text = await desk.runForText('cases', 'open', sent.id);
  assert.match(text, /Not in the form that this service writes, so it is not shown \(29 bytes\)\./);
  assert.doesNotMatch(text, /CANARY-ODD/);
  const out = join(await createTemporaryFolder(t), 'out');
  await desk.runForText('cases', 'open', sent.id, '--out', out);
  assert.equal(await readFile(join(out, 'buyer-message-1.txt'), 'utf8'), JSON.stringify(malformed));
});
