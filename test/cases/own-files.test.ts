/** A buyer without a script fetches back the files that they sent themselves. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { assertValidHtml } from '#test/site/markup.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openPaidForm, plainFormFields, sameOriginHeaders, sendPlainForm } from './plain-form.ts';

const shop = await startTestShop({ after });

test('the files of the inquiry have buttons on the case page, and come back as they were sent', async () => {
  const form = await openPaidForm(shop);
  const content = new TextEncoder().encode('She wrote this.');
  const sent = await sendPlainForm(shop, form, plainFormFields, [{ name: 'her “letter”.txt', content }]);
  assert.equal(sent.status, 200);
  const postForm = async (path: string, fields: Record<string, string> = {}) =>
    await shop.get(path, {
      method: 'POST',
      headers: { ...sameOriginHeaders, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ words: form.words, ...fields }).toString(),
    });

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
