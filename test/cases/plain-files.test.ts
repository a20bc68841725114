/** Files of a form without a script: sealed as they arrive, stored unchanged or refused as a whole, and given back. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sealFile } from '#seal/files/sealed-file.ts';
import { isLongRun } from '#test/scale.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import {
  type FormFile,
  openPaidForm,
  openPlainCase,
  plainFormFields,
  postFormFields,
  sendPlainForm,
} from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';
import { createSealedUpload, sealInquiryForm, sendSealedForm } from './sealed-form.ts';
import { openStoredCase } from './stored-case.ts';

const shop = await shareTestShop();
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
  const { inquiry, openFile } = await openStoredCase(shop, form.words);
  assert.equal(inquiry.files.length, files.length);
  return await Promise.all(inquiry.files.map(async (facts, seq) => ({ ...(await openFile(seq)), facts })));
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

/** What a form may not bring: sizes of its files, and what is said about them. */
const refusals: Readonly<Record<string, readonly [sizes: readonly number[], says: RegExp]>> = {
  'a file of one byte more': [[10, 25 * MIB + 1, 10], /“1.bin” is larger than 25 MB/],
  'an empty file': [[10, 0], /^“1.bin”: This file is empty. Leave it out.$/],
  'eleven files': [Array(11).fill(5), /Attach at most 10 files/],
  ...(isLongRun && {
    'a far larger file': [[40 * MIB], /“0.bin” is larger than 25 MB/],
    'more than 100 MiB in total': [Array(5).fill(21 * MIB), /Together, your files can be at most 100 MB/],
  }),
};
for (const [what, [sizes, says]] of Object.entries(refusals))
  test(`${what} is refused with a message`, async () => {
    const files = sizes.map((size, index) => ({ name: `${index}.bin`, content: createBytes(size) }));
    assert.match(await sendRefusedFiles(files), says);
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

test('the metadata of a photo is removed, and kept when the sender asks for it', async () => {
  const photo = { name: 'photo.jpg', type: 'image/jpeg', content: createPhoto() };
  const [cleaned] = await sendAndOpenFiles([photo]);
  assert.ok(cleaned);
  assert.doesNotMatch(Buffer.from(cleaned.content).toString('latin1'), /CANARY-PLACE/);
  assert.deepEqual([cleaned.facts.size, cleaned.facts.kept_as_evidence], [cleaned.content.length, false]);
  const [kept] = await sendAndOpenFiles([photo], { ...plainFormFields, keep_evidence: 'yes' });
  assert.ok(kept && Buffer.from(photo.content).equals(kept.content));
  assert.equal(kept.facts.kept_as_evidence, true);
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

test('a file name or a media type that is too long is refused with a message, however large the file', async () => {
  for (const [length, size] of [
    [300, 10],
    [5_000, 3 * MIB],
  ] as const)
    assert.match(
      await sendRefusedFiles([{ name: 'n'.repeat(length), content: new Uint8Array(size) }]),
      /File 1: shorten its name to at most 255 characters/,
    );
  const file = { name: 'a.txt', type: `text/${'x'.repeat(200)}`, content: createBytes(3) };
  assert.match(await sendRefusedFiles([file]), /File 1: Write at most 127/);
});

test('the files of the inquiry have buttons on the case page, and come back as they were sent', async () => {
  const content = new TextEncoder().encode('She wrote this.');
  const file = { name: 'her “letter”.txt', content };
  const words = await openPlainCase(shop, 'Trace', plainFormFields, [file]);
  const postForm = async (path: string, fields: Record<string, string> = {}) =>
    await postFormFields(shop, path, { words, ...fields });

  const page = await postForm('/case');
  assert.match(
    page.text,
    /name="kind" value="inquiry-file\.v1"><input type="hidden" name="seq" value="0"><button[^>]*>Save her “letter”\.txt, 15 bytes/,
  );
  await assertValidHtml(page.text, 'case-own-files');
  const saved = await postForm('/case/file', { kind: 'inquiry-file.v1', seq: '0' });
  assert.equal(saved.status, 200);
  assert.match(saved.headers['content-disposition'] ?? '', /^attachment;/);
  assert.deepEqual(new Uint8Array(saved.bytes), content);

  for (const place of [
    { kind: 'inquiry-file.v1', seq: '1' },
    { kind: 'inquiry.v1', seq: '0' },
    { kind: 'inquiry-file.v1', seq: '0.5' },
  ])
    assert.equal((await postForm('/case/file', place)).status, 404, JSON.stringify(place));
});

test('a file that is not what the inquiry says, or whose name is none, is refused with a page', async () => {
  const listed = { name: 'bank-statement.pdf', content: new Uint8Array(25) };
  const form = await openPaidForm(shop);
  const others = { ...listed, name: 'page.html' };
  const sealed = await sealInquiryForm(shop, form, [listed, listed, listed, others]);
  const sealOther = async (seq: number, name: string, size: number) => {
    const mime = 'application/octet-stream';
    const file = { name, mime, content: ReadableStream.from([new Uint8Array(size)]), maxBytes: 99 };
    const bytes = await sealFile(sealed.key, { kind: 'inquiry-file.v1', seq }, file);
    return createSealedUpload(Buffer.concat(await Array.fromAsync(bytes)));
  };
  const wrong = [await sealOther(0, 'bank-statement.pdf.html', 25), await sealOther(1, '\ud800x.exe', 25)];
  const files = [...wrong, ...sealed.files.slice(2)];
  assert.equal((await sendSealedForm(shop, form, { ...sealed, files })).status, 200);
  const place = { words: sealed.words, kind: 'inquiry-file.v1' };
  const saved = await Array.fromAsync(['0', '1', '2', '3'], (seq) =>
    postFormFields(shop, '/case/file', { ...place, seq }),
  );
  const statuses = saved.map(({ status }) => status);
  assert.deepEqual(statuses, [422, 422, 200, 200]);
  assert.match(saved[3]?.headers['content-disposition'] ?? '', /page\.html$/);
});
