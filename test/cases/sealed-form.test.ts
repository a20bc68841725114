/** The inquiry form with a script: pieces in any order, answers that get lost, and one case for one payment. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openShop } from '#test/shop.ts';
import { caseOf, fileOf, inquiryOf, keyOf, privateKey } from './opened.ts';
import { paidForm, type SentFile } from './plain-form.ts';
import {
  codeOf,
  large,
  letter,
  open,
  openingOf,
  piecesOf,
  putPiece,
  type SealedForm,
  sealedForm,
  sendSealed,
  upload,
} from './sealed-form.ts';
import { added, stored } from './stored.ts';

const shop = await openShop({ after });

async function ready(files: readonly SentFile[] = [letter]) {
  const form = await paidForm(shop);
  return { form, sealed: await sealedForm(shop, form, files) };
}

async function opensWhole({ words }: SealedForm, content: Uint8Array = letter.content): Promise<void> {
  const record = await caseOf(shop, words);
  assert.ok(record);
  const key = await keyOf(shop, record, await privateKey(shop.dataDir, 'desk'));
  assert.match((await inquiryOf(shop, record, key)).question, /CANARY-QUESTION/);
  assert.ok(Buffer.from(content).equals((await fileOf(shop, record, key, 0)).content));
}

test('an inquiry that was sealed in the browser opens a case, and the browser forgets the payment', async () => {
  const { form, sealed } = await ready();
  const before = await stored(shop);
  const answer = await sendSealed(shop, form, sealed);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json).toSorted(), ['due', 'due_at']);
  assert.match(answer.headers['set-cookie']?.[0] ?? '', /^__Host-inquiry=;/);
  const record = await caseOf(shop, sealed.words);
  assert.equal(record?.sealed_by, 'browser');
  assert.equal(new Date(String(answer.json['due_at'])).getTime(), record?.due_at);
  assert.deepEqual(added(before, await stored(shop)), { cases: 1, objects: 2, pieces: 2 });
  await opensWhole(sealed);
});

test('pieces may come out of order, twice, and all at once', async () => {
  const { form, sealed } = await ready([large]);
  const pieces = [sealed.inquiry, ...sealed.files].flatMap((one) =>
    piecesOf(one).map((bytes, piece) => ({ upload: one.upload, piece, bytes })),
  );
  assert.ok(pieces.length > 4);
  const shuffled = [...pieces, ...pieces].toReversed();
  const answers = await Promise.all(
    shuffled.map(({ bytes, ...place }) => putPiece(shop, form, place, bytes)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]));
  assert.equal((await open(shop, form, openingOf(sealed))).status, 200);
  await opensWhole(sealed, large.content);
});

test('a piece that is missing, at the end or between, is asked for again, and costs nothing', async () => {
  const { form, sealed } = await ready([large]);
  const [file] = sealed.files;
  assert.ok(file);
  await upload(shop, form, [sealed.inquiry]);
  const pieces = piecesOf(file);
  assert.equal(await codeOf(open(shop, form, openingOf(sealed))), '409 upload_incomplete');
  for (const piece of [0, 2, 3])
    await putPiece(shop, form, { upload: file.upload, piece }, pieces[piece] ?? new Uint8Array(1));
  assert.equal(await codeOf(open(shop, form, openingOf(sealed))), '409 upload_incomplete');
  assert.equal(await caseOf(shop, sealed.words), undefined);
  await putPiece(shop, form, { upload: file.upload, piece: 1 }, pieces[1]!);
  assert.equal((await open(shop, form, openingOf(sealed))).status, 200);
  await opensWhole(sealed, large.content);
});

test('an answer that got lost is given again, with or without the cookie, and to many at once', async () => {
  const { form, sealed } = await ready();
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  const before = await stored(shop);
  const opening = openingOf(sealed);
  const answers = await Promise.all(Array.from({ length: 8 }, () => open(shop, form, opening)));
  const later = await open(shop, { cookie: 'none=1', token: '' }, opening);
  for (const { status, text } of [...answers, later])
    assert.deepEqual([status, text], [200, answers[0]?.text]);
  assert.deepEqual(added(before, await stored(shop)), { cases: 1, staged: -2 });
});

test('two inquiries for one payment, at once or later: the first is the case', async () => {
  const { form, sealed } = await ready();
  const other = await sealedForm(shop, form, [letter]);
  await upload(
    shop,
    form,
    [sealed, other].flatMap(({ inquiry, files }) => [inquiry, ...files]),
  );
  const codes = await Promise.all([sealed, other].map((one) => codeOf(open(shop, form, openingOf(one)))));
  assert.deepEqual(codes.toSorted(), ['200', '402 payment_required']);
  const third = await sealedForm(shop, form, [letter]);
  await assert.rejects(upload(shop, form, [third.inquiry, ...third.files]), /payment_required/);
  const records = await Promise.all([sealed, other, third].map(({ words }) => caseOf(shop, words)));
  assert.equal(records.filter(Boolean).length, 1);
});
