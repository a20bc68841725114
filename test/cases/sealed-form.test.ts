/** The inquiry form with a script: pieces in any order, lost responses, and one case for one payment. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { shareTestShop } from '#test/test-shop.ts';
import { type FormFile, openPaidForm } from './plain-form.ts';
import { computeAddedRows, countStoredRows } from './row-counts.ts';
import {
  formatStatusAndCode,
  largeFile,
  letterFile,
  postOpening,
  putUploadPiece,
  type SealedForm,
  sealInquiryForm,
  sendSealedForm,
  splitIntoPieces,
  toOpeningBody,
  uploadSealedPieces,
} from './sealed-form.ts';
import {
  findCaseByWords,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
} from './stored-case.ts';

const shop = await shareTestShop();

async function prepareSealedForm(files: readonly FormFile[] = [letterFile]) {
  const form = await openPaidForm(shop);
  return { form, sealed: await sealInquiryForm(shop, form, files) };
}

async function assertOpensWhole(
  { words }: SealedForm,
  content: Uint8Array = letterFile.content,
): Promise<void> {
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  const key = await openStoredCaseKey(shop, record, await readPrivateKey(shop.dataDir, 'desk'));
  assert.match((await openStoredInquiry(shop, record, key)).question, /CANARY-QUESTION/);
  assert.ok(Buffer.from(content).equals((await openStoredFile(shop, record, key, 0)).content));
}

test('an inquiry sealed in the browser opens a case and clears the payment cookie', async () => {
  const { form, sealed } = await prepareSealedForm();
  const before = await countStoredRows(shop);
  const answer = await sendSealedForm(shop, form, sealed);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json).toSorted(), ['due']);
  assert.match(answer.headers['set-cookie']?.[0] ?? '', /^__Host-inquiry=;/);
  const record = await findCaseByWords(shop, sealed.words);
  assert.equal(record?.sealed_by, 'browser');
  const { datetime } = answer.json['due'] as { datetime: string };
  assert.equal(new Date(datetime).getTime(), record?.due_at);
  assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), {
    cases: 1,
    objects: 2,
    pieces: 2,
  });
  await assertOpensWhole(sealed);
});

test('a missing piece is requested again, and the payment stays unspent', async () => {
  const { form, sealed } = await prepareSealedForm([largeFile]);
  const [file] = sealed.files;
  assert.ok(file);
  await uploadSealedPieces(shop, form, [sealed.inquiry]);
  const pieces = splitIntoPieces(file);
  assert.equal(
    await formatStatusAndCode(postOpening(shop, form, toOpeningBody(sealed))),
    '409 upload_incomplete',
  );
  for (const piece of [0, 2, 3])
    await putUploadPiece(shop, form, { upload: file.upload, piece }, pieces[piece] ?? new Uint8Array(1));
  assert.equal(
    await formatStatusAndCode(postOpening(shop, form, toOpeningBody(sealed))),
    '409 upload_incomplete',
  );
  assert.equal(await findCaseByWords(shop, sealed.words), undefined);
  await putUploadPiece(shop, form, { upload: file.upload, piece: 1 }, pieces[1]!);
  assert.equal((await postOpening(shop, form, toOpeningBody(sealed))).status, 200);
  await assertOpensWhole(sealed, largeFile.content);
});
