/** Files of a form without a script: sealed as they arrive, stored unchanged, or refused as a whole. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type FormFile, openPaidForm, plainFormFields, sendPlainForm } from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';
import {
  findCaseByWords,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
} from './stored-case.ts';

const shop = await shareTestShop();
const readDeskKey = async () => await readPrivateKey(shop.dataDir, 'desk');
const MIB = 1024 * 1024;

/** A pattern whose period does not divide the piece size. */
const pattern = Uint8Array.from({ length: 65_521 }, (_none, index) => (index * 31 + (index >> 8)) & 0xff);

function createBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += pattern.length)
    bytes.set(pattern.subarray(0, length - start), start);
  return bytes;
}

async function sendAndOpenFiles(
  files: readonly FormFile[],
  fields: Record<string, string> = plainFormFields,
) {
  const form = await openPaidForm(shop);
  const { status, text } = await sendPlainForm(shop, form, fields, files);
  assert.equal(status, 200, text);
  const record = await findCaseByWords(shop, form.words);
  assert.ok(record);
  const key = await openStoredCaseKey(shop, record, await readDeskKey());
  const { files: named } = await openStoredInquiry(shop, record, key);
  assert.equal(named.length, files.length);
  return await Promise.all(
    named.map(async (facts, seq) => ({ ...(await openStoredFile(shop, record, key, seq)), facts })),
  );
}

/** Sends files that must be refused without a trace; returns the message beside the file field. */
async function sendRefusedFiles(
  files: readonly FormFile[],
  fields: Record<string, string> = plainFormFields,
): Promise<string> {
  const form = await openPaidForm(shop);
  const before = await countStoredRows(shop);
  const { status, text } = await sendPlainForm(shop, form, fields, files);
  assert.equal(status, 422, text);
  assert.deepEqual(await countStoredRows(shop), before);
  const summary = /<h2 id="problems-title">[\s\S]*?<\/ul>/.exec(text)?.[0] ?? '';
  assert.equal(summary.match(/<li>/g)?.length, 1, summary);
  assert.ok(text.includes('CANARY-QUESTION'), 'what was typed comes back');
  assert.match(text, /name="lawful_purpose"[^>]*checked|checked[^>]*name="lawful_purpose"/);
  assert.equal((await sendPlainForm(shop, form)).status, 200, 'the payment is still there');
  return /<a href="#files">([^<]+)/.exec(summary)?.[1] ?? '';
}

test('ten files of different lengths come back byte for byte, in order', async () => {
  const lengths = [1, 2, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 524_288, 1_000_000];
  const files = lengths.map((length, index) => ({ name: `file ${index}.bin`, content: createBytes(length) }));
  for (const [index, { name, content, facts }] of (await sendAndOpenFiles(files)).entries()) {
    assert.equal(name, `file ${index}.bin`);
    assert.deepEqual(facts, {
      name,
      mime: 'application/octet-stream',
      size: lengths[index],
      kept_as_evidence: false,
    });
    assert.ok(Buffer.from(files[index]!.content).equals(content), name);
  }
});

if (isLongRun)
  test('a file of exactly 25 MiB is accepted', async () => {
    const [file] = await sendAndOpenFiles([{ name: 'large.bin', content: createBytes(25 * MIB) }]);
    assert.equal(file?.content.length, 25 * MIB);
  });

test('a file of one byte more is refused', async () => {
  const small = { name: 'small.txt', content: createBytes(10) };
  const message = await sendRefusedFiles([
    small,
    { name: 'large.bin', content: createBytes(25 * MIB + 1) },
    small,
  ]);
  assert.match(message, /“large.bin” is larger than 25 MB/);
});

if (isLongRun)
  test('a far larger file is refused too, and the rest of the form is still read', async () => {
    const message = await sendRefusedFiles([{ name: 'huge.bin', content: new Uint8Array(40 * MIB) }]);
    assert.match(message, /“huge.bin” is larger than 25 MB/);
  });

test('an empty file is refused by name', async () => {
  const small = { name: 'small.txt', content: createBytes(10) };
  assert.equal(
    await sendRefusedFiles([small, { name: 'nothing.txt', content: createBytes(0) }]),
    '“nothing.txt”: This file is empty. Leave it out.',
  );
});

test('eleven files are refused as one too many', async () => {
  const files = Array.from({ length: 11 }, (_none, index) => ({
    name: `${index}.txt`,
    content: createBytes(5),
  }));
  assert.match(await sendRefusedFiles(files), /Attach at most 10 files/);
});

if (isLongRun)
  test('more than 100 MiB in total is refused', async () => {
    const files = Array.from({ length: 5 }, (_none, index) => ({
      name: `${index}.bin`,
      content: new Uint8Array(21 * MIB),
    }));
    assert.match(await sendRefusedFiles(files), /Together, your files can be at most 100 MB/);
  });

/** A one-pixel picture with a GPS position in its metadata. */
function createPhoto(): Uint8Array<ArrayBuffer> {
  const exif = Buffer.from('Exif\0\0MM\0*\0\0\0\x08CANARY-PLACE', 'latin1');
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
  const pixel = Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    'base64',
  );
  return new Uint8Array(Buffer.concat([pixel.subarray(0, 2), segment, pixel.subarray(2)]));
}

test('the metadata of a photo is removed', async () => {
  const [file] = await sendAndOpenFiles([{ name: 'photo.jpg', type: 'image/jpeg', content: createPhoto() }]);
  assert.ok(file);
  assert.doesNotMatch(Buffer.from(file.content).toString('latin1'), /CANARY-PLACE/);
  assert.equal(file.facts.size, file.content.length);
  assert.equal(file.facts.kept_as_evidence, false);
});

test('the metadata of a photo is kept when the sender asks for it', async () => {
  const sent = createPhoto();
  const [file] = await sendAndOpenFiles([{ name: 'photo.jpg', type: 'image/jpeg', content: sent }], {
    ...plainFormFields,
    keep_evidence: 'yes',
  });
  assert.ok(file && Buffer.from(sent).equals(file.content));
  assert.equal(file.facts.kept_as_evidence, true);
});

test('a damaged picture is refused by name, and can be kept as it is', async () => {
  const damaged = { name: 'broken.jpg', type: 'image/jpeg', content: createPhoto().slice(0, 30) };
  assert.match(
    await sendRefusedFiles([damaged]),
    /“broken.jpg”: The hidden data of this picture can’t be removed/,
  );
  const large = new Uint8Array(3 * MIB);
  large.set(createPhoto().slice(0, 12));
  assert.match(await sendRefusedFiles([{ ...damaged, content: large }]), /“broken.jpg”/);
  assert.equal((await sendAndOpenFiles([damaged], { ...plainFormFields, keep_evidence: 'yes' })).length, 1);
});

test('unusual file names are kept, and none becomes a path', async () => {
  const names: [sent: string, shown: string][] = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\fakepath\\plan.pdf', 'plan.pdf'],
    // Browsers escape a quote as %22 (HTML §4.10.21.8); a name that contains these three characters looks the same.
    ['she said "hello".txt', 'she said %22hello%22.txt'],
    ['ملف سري.pdf', 'ملف سري.pdf'],
    ['🕵️‍♀️ 調査.png.txt', '🕵️‍♀️ 調査.png.txt'],
    ["<b>'&.txt", "<b>'&.txt"],
    [`${'n'.repeat(251)}.txt`, `${'n'.repeat(251)}.txt`],
  ];
  const files = names.map(([name]) => ({ name, content: createBytes(3) }));
  const opened = await sendAndOpenFiles(files);
  assert.deepEqual(
    opened.map(({ name }) => name),
    names.map(([, shown]) => shown),
  );
});

test('a file name that is too long is refused with a message, however large the file', async () => {
  for (const [length, size] of [
    [300, 10],
    [5_000, 3 * MIB],
  ] as const)
    assert.match(
      await sendRefusedFiles([{ name: 'n'.repeat(length), content: new Uint8Array(size) }]),
      /File 1: shorten its name to at most 255 characters/,
    );
});

test('a media type that is too long is refused with a message', async () => {
  const file = { name: 'a.txt', type: `text/${'x'.repeat(200)}`, content: createBytes(3) };
  assert.match(await sendRefusedFiles([file]), /File 1: Write at most 127/);
});
