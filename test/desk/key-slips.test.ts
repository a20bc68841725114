/** A key picked by mistake in the clipboard or file dialogue is not sent, with or without a passphrase. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { armor, Encrypter } from 'age-encryption';
import { generateAgeIdentity } from '#seal/core/age.ts';
import { assertFault, listPaths } from './hostile-script.ts';
import { startScriptedOffice } from './scripted-office.ts';

async function protect(content: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase('small beacon, green anvil');
  encrypter.setScryptWorkFactor(10);
  return await encrypter.encrypt(content);
}

/** Yields pieces of one byte: no file is read like this, but a stream may be. */
function createFile(name: string, bytes: Uint8Array) {
  const single = Array.from(bytes.subarray(0, 200), (byte) => Uint8Array.of(byte));
  const pieces = [...single, bytes.subarray(200)].filter(({ length }) => length > 0);
  return { name, size: bytes.length, content: () => ReadableStream.from(pieces) };
}

async function openDesk(t: TestContext) {
  const office = await startScriptedOffice(t);
  const desk = await office.connectConfirmed();
  const { id } = office.fixture.facts;
  const { seen } = await desk.readCase(id);
  return { office, desk, id, seen };
}

test('a key file is not delivered, whatever form it has', async (t) => {
  const { office, desk, id, seen } = await openDesk(t);
  const identity = `${await generateAgeIdentity()}\n`;
  const sealed = await protect(identity);
  const forms: Readonly<Record<string, Uint8Array>> = {
    plain: Buffer.from(`# created: today\n${identity}`),
    armored: Buffer.from(armor.encode(sealed)),
    'armored after an empty line': Buffer.from(`\r\n${armor.encode(sealed)}`),
    binary: sealed,
  };
  for (const [form, bytes] of Object.entries(forms)) {
    const finding = { markdown: 'It is her.', files: [createFile('sources.txt', bytes)], seen };
    await assertFault(desk.deliver(id, finding), 'invalid', /private key/);
    assert.ok(!listPaths(office).some((path) => path.includes('/finding')), form);
  }
  assert.equal(office.uploaded.size, 0);
});

test('a key that was pasted into a text is not sent', async (t) => {
  const { office, desk, id, seen } = await openDesk(t);
  const block = armor.encode(await protect(`${await generateAgeIdentity()}\n`));
  const quoted = block.replaceAll(/^/gm, '> ');
  for (const text of [
    await generateAgeIdentity(),
    block,
    `See below.\n\n${block}`,
    quoted,
    block.replaceAll('\n', '\r\n'),
  ]) {
    await assertFault(desk.sendMessage(id, { act: 'message', text, seen }), 'invalid', /private key/);
    await assertFault(desk.addNote(id, text), 'invalid', /private key/);
    await assertFault(desk.deliver(id, { markdown: text, files: [], seen }), 'invalid', /private key/);
  }
  assert.ok(!listPaths(office).some((path) => /\/(?:messages|notes|finding)$/.test(path)));
});

test('a file that changes while it is read is not delivered', async (t) => {
  const { office, desk, id, seen } = await openDesk(t);
  const short = { ...createFile('notes.txt', Buffer.from('longer')), size: 3 };
  const delivery = desk.deliver(id, { markdown: '', files: [short], seen });
  await assertFault(delivery, 'invalid', /changed while it was read/);
  assert.ok(!listPaths(office).some((path) => path.endsWith('/finding')));
});

test('a large archive under a passphrase is delivered: it is no key', async (t) => {
  const { office, desk, id, seen } = await openDesk(t);
  const archive = await protect('sources '.repeat(20_000));
  await desk.deliver(id, { markdown: '', files: [createFile('sources.tar.age', archive)], seen });
  assert.ok(listPaths(office).at(-1)?.endsWith('/finding'));
});
