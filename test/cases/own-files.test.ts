/** A buyer without a script downloads the files that they have sent. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sealFile } from '#seal/files/sealed-file.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openPaidForm, plainFormFields, postFormFields, sendPlainForm } from './plain-form.ts';
import { createSealedUpload, sealInquiryForm, sendSealedForm } from './sealed-form.ts';

const shop = await shareTestShop();

test('the files of the inquiry have buttons on the case page, and come back as they were sent', async () => {
  const form = await openPaidForm(shop);
  const content = new TextEncoder().encode('She wrote this.');
  const sent = await sendPlainForm(shop, form, plainFormFields, [{ name: 'her “letter”.txt', content }]);
  assert.equal(sent.status, 200);
  const postForm = async (path: string, fields: Record<string, string> = {}) =>
    await postFormFields(shop, path, { words: form.words, ...fields });

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
  const sealed = await sealInquiryForm(shop, form, [
    listed,
    listed,
    listed,
    { ...listed, name: 'page.html' },
  ]);
  const sealOther = async (seq: number, name: string, size: number) => {
    const mime = 'application/octet-stream';
    const file = { name, mime, content: ReadableStream.from([new Uint8Array(size)]), maxBytes: 99 };
    const bytes = await sealFile(sealed.key, { kind: 'inquiry-file.v1', seq }, file);
    return createSealedUpload(Buffer.concat(await Array.fromAsync(bytes)));
  };
  const files = [
    await sealOther(0, 'bank-statement.pdf.html', 25),
    await sealOther(1, '\ud800x.exe', 25),
    ...sealed.files.slice(2),
  ];
  assert.equal((await sendSealedForm(shop, form, { ...sealed, files })).status, 200);
  const save = async (seq: number) =>
    await postFormFields(shop, '/case/file', {
      words: sealed.words,
      kind: 'inquiry-file.v1',
      seq: String(seq),
    });
  const statuses = [];
  for (const seq of [0, 1, 2, 3]) statuses.push((await save(seq)).status);
  assert.deepEqual(statuses, [422, 422, 200, 200]);
  assert.match((await save(3)).headers['content-disposition'] ?? '', /page\.html$/);
});
