/** The inquiry form with a script: pieces in any order, one case, and nothing taken that is not sealed. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { newId } from '#platform/ids.ts';
import { seal } from '#seal/age.ts';
import { sealCaseKey } from '#seal/case-key.ts';
import { PIECE_BYTES } from '#store/objects.ts';
import { openShop } from '#test/shop.ts';
import { caseOf, fileOf, inquiryOf, keyOf, privateKey } from './opened.ts';
import { paidForm, type SentFile } from './plain-form.ts';
import {
  ofForm,
  open,
  openingOf,
  piecesOf,
  putPiece,
  type SealedForm,
  sealedForm,
  sendSealed,
  thing,
  upload,
  uploadOf,
} from './sealed-form.ts';
import { added, stored } from './stored.ts';

const shop = await openShop({ after });
const letter = { name: 'letter.txt', type: 'text/plain', content: new TextEncoder().encode('Dear you') };
const large = { name: 'large.bin', content: new Uint8Array(900_000).fill(7) };

async function ready(files: readonly SentFile[] = [letter]) {
  const form = await paidForm(shop);
  return { form, sealed: await sealedForm(shop, form, files) };
}

async function codeOf(asked: Promise<{ status: number; json: Record<string, unknown> }>): Promise<string> {
  const { status, json } = await asked;
  return `${status} ${String(json['code'] ?? '')}`.trim();
}

async function opensWhole({ words }: SealedForm, content: Uint8Array = letter.content): Promise<void> {
  const record = await caseOf(shop, words);
  assert.ok(record);
  const key = await keyOf(record, await privateKey(shop.dataDir, 'desk'));
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

test('a piece that is too long, empty, out of range or of another kind is refused', async () => {
  const { form } = await ready();
  const before = await stored(shop);
  const id = newId();
  const one = new Uint8Array(1);
  const full = new Uint8Array(PIECE_BYTES + 1);
  assert.equal(await codeOf(putPiece(shop, form, { upload: id, piece: 0 }, full)), '413 payload_too_large');
  for (const piece of ['200', '999'])
    assert.equal(await codeOf(putPiece(shop, form, { upload: id, piece }, one)), '413 payload_too_large');
  for (const piece of ['-1', '01', '1e2', '1000', 'x', '%30x'])
    assert.equal(await codeOf(putPiece(shop, form, { upload: id, piece }, one)), '422 validation_failed');
  for (const odd of ['short', `${id}x`, `${id.slice(1)}.`])
    assert.equal(await codeOf(putPiece(shop, form, { upload: odd, piece: 0 }, one)), '422 validation_failed');
  const { status } = await putPiece(shop, form, { upload: id, piece: 0 }, new Uint8Array());
  assert.equal(Math.floor(status / 100), 4);
  const headers = { ...ofForm(form), 'content-type': 'application/json' };
  const json = await shop.get(`/inquiry/uploads/${id}/0`, { method: 'PUT', headers, body: '{}' });
  assert.equal(Math.floor(json.status / 100), 4);
  const bare = await shop.get(`/inquiry/uploads/${id}/0`, { method: 'PUT', headers: ofForm(form) });
  assert.equal(Math.floor(bare.status / 100), 4);
  assert.deepEqual(await stored(shop), before);
});

test('who holds no paid form uploads nothing, and nobody adds to or binds what another uploaded', async () => {
  const { form, sealed } = await ready();
  const stranger = await ready();
  const before = await stored(shop);
  const place = { upload: sealed.inquiry.upload, piece: 0 };
  const bytes = sealed.inquiry.bytes;
  for (const nobody of [
    { ...form, token: stranger.form.token },
    { ...form, cookie: 'none=1' },
    { ...form, token: '' },
  ])
    assert.equal(await codeOf(putPiece(shop, nobody, place, bytes)), '403 form_expired');
  assert.deepEqual(await stored(shop), before);
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  assert.equal(await codeOf(putPiece(shop, stranger.form, { ...place, piece: 1 }, bytes)), '404 not_found');
  const stolen = { ...openingOf(stranger.sealed), inquiry: uploadOf(sealed.inquiry), files: [] };
  assert.equal(await codeOf(open(shop, stranger.form, stolen)), '409 upload_incomplete');
  assert.equal((await open(shop, form, openingOf(sealed))).status, 200);
  assert.equal(await codeOf(putPiece(shop, stranger.form, place, bytes)), '404 not_found');
  assert.equal((await sendSealed(shop, stranger.form, stranger.sealed)).status, 200);
});

test('a request from another site is refused', async () => {
  const { form, sealed } = await ready();
  const headers = { ...ofForm(form), 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' };
  const body = JSON.stringify(openingOf(sealed));
  assert.equal(
    await codeOf(shop.get('/inquiry/sealed', { method: 'POST', headers, body })),
    '403 foreign_form',
  );
});

test('nothing is added to a case once it is open', async () => {
  const { form, sealed } = await ready();
  await sendSealed(shop, form, sealed);
  const before = await stored(shop);
  const place = { upload: sealed.inquiry.upload, piece: 1 };
  assert.equal(await codeOf(putPiece(shop, form, place, new Uint8Array(9))), '404 not_found');
  assert.deepEqual(await stored(shop), before);
});

test('one upload cannot stand in two places, nor in two cases', async () => {
  const { form, sealed } = await ready();
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = openingOf(sealed);
  const [file] = opening.files;
  for (const twice of [
    { ...opening, files: [file, file] },
    { ...opening, files: [opening.inquiry] },
  ])
    assert.match(await codeOf(open(shop, form, twice)), /^(409 upload_incomplete|422 not_sealed)$/);
  assert.equal(await caseOf(shop, sealed.words), undefined, 'and the payment is not spent');
  assert.equal((await open(shop, form, opening)).status, 200);
  const next = await ready();
  await upload(shop, next.form, [next.sealed.inquiry]);
  const reused = { ...openingOf(next.sealed), files: [file] };
  assert.equal(await codeOf(open(shop, next.form, reused)), '409 upload_incomplete');
});

test('a size that lies is refused, also where the length would be allowed', async () => {
  const { form, sealed } = await ready([large]);
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = openingOf(sealed);
  const [file] = opening.files;
  const shorter = {
    ...opening,
    files: [{ ...file, size: openingOf((await ready()).sealed).files[0]?.size }],
  };
  assert.equal(await codeOf(open(shop, form, shorter)), '409 upload_incomplete');
  for (const size of [1, 5_000, 30_000_000, Number.MAX_SAFE_INTEGER]) {
    assert.equal(
      await codeOf(open(shop, form, { ...opening, files: [{ ...file, size }] })),
      '422 not_sealed',
    );
    assert.equal(
      await codeOf(open(shop, form, { ...opening, inquiry: { ...opening.inquiry, size } })),
      '422 not_sealed',
    );
  }
  assert.equal((await open(shop, form, opening)).status, 200);
});

test('plain text in the length of something sealed is not kept, and the payment is not spent', async () => {
  const { form, sealed } = await ready();
  const [file] = sealed.files;
  assert.ok(file);
  const plain = (length: number) => thing(new Uint8Array(length).fill(65));
  const plainInquiry = plain(sealed.inquiry.bytes.length);
  const plainFile = plain(file.bytes.length);
  await upload(shop, form, [plainInquiry, plainFile, sealed.inquiry, file]);
  const opening = openingOf(sealed);
  const refused = [
    { ...opening, inquiry: uploadOf(plainInquiry) },
    { ...opening, files: [uploadOf(plainFile)] },
    { ...opening, case_key: Buffer.from('the key in clear').toString('base64url') },
    { ...opening, case_key: 'AA' },
  ];
  for (const one of refused) assert.equal(await codeOf(open(shop, form, one)), '422 not_sealed');
  assert.equal(await caseOf(shop, sealed.words), undefined);
  assert.equal((await open(shop, form, opening)).status, 200);
});

test('what is sealed to a classical key, or leaves somebody out, is not kept', async () => {
  const { form, sealed } = await ready();
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  const classical = new Encrypter();
  for (let count = 0; count < 3; count += 1)
    classical.addRecipient(await identityToRecipient(await generateX25519Identity()));
  const { desk, recovery } = await shop.registry.sealingKeys;
  const opening = openingOf(sealed);
  for (const caseKey of [
    await classical.encrypt('a key'),
    await seal(new Uint8Array(9), [recovery, ...desk]),
    await seal(new Uint8Array(9), [sealed.key.recipient]),
  ]) {
    const case_key = Buffer.from(caseKey).toString('base64url');
    assert.equal(await codeOf(open(shop, form, { ...opening, case_key })), '422 not_sealed');
  }
  const again = await sealCaseKey(sealed.key, { desk: [...desk, sealed.key.recipient], recovery });
  const more = { ...opening, case_key: Buffer.from(again).toString('base64url') };
  assert.equal((await open(shop, form, more)).status, 200, 'two desks are as good as one');
});

test('a body of another shape is refused field by field', async () => {
  const { form, sealed } = await ready();
  await upload(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = openingOf(sealed);
  const { lookup_hash: _hash, ...without } = opening;
  for (const odd of [
    without,
    { ...opening, question: 'in clear' },
    { ...opening, inquiry: { ...opening.inquiry, name: 'in clear' } },
    { ...opening, lookup_hash: opening.lookup_hash.slice(1) },
    { ...opening, lookup_hash: `${opening.lookup_hash.slice(0, 42)}_` },
    { ...opening, lookup_hash: `${opening.lookup_hash.slice(1)}=` },
    { ...opening, case_key: `${opening.case_key}==` },
    { ...opening, case_key: '+/' },
    { ...opening, case_key: '' },
    { ...opening, keep_days: 31 },
    { ...opening, keep_days: '30' },
    { ...opening, terms_version: '1999-01' },
    { ...opening, files: Array.from({ length: 11 }, () => opening.files[0]) },
    { ...opening, inquiry: { ...opening.inquiry, size: 0 } },
    { ...opening, inquiry: { ...opening.inquiry, size: 1.5 } },
    { ...opening, inquiry: { ...opening.inquiry, upload: '' } },
    [],
    null,
    'sealed',
  ])
    assert.equal(await codeOf(open(shop, form, odd)), '422 validation_failed', JSON.stringify(odd));
  assert.equal((await open(shop, form, opening)).status, 200);
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
  await upload(shop, form, [third.inquiry, ...third.files]);
  assert.equal(await codeOf(open(shop, form, openingOf(third))), '402 payment_required');
  const records = await Promise.all([sealed, other, third].map(({ words }) => caseOf(shop, words)));
  assert.equal(records.filter(Boolean).length, 1);
});
