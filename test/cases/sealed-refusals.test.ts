/** What the sealed form refuses: anything incomplete, unsealed, or uploaded by another buyer. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { computeRecipientSetTag } from '#cases/sealing/sealing-keys.ts';
import { generateId } from '#platform/text/ids.ts';
import { sealBytes } from '#seal/core/age.ts';
import { sealCaseKey } from '#seal/core/case-key.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { replaceRecipientSet } from '#store/keys/recipient-set.ts';
import { startTestShop } from '#test/test-shop.ts';
import { type FormFile, openPaidForm, postFormFields } from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';
import {
  buildFormHeaders,
  createSealedUpload,
  formatStatusAndCode,
  largeFile,
  letterFile,
  postOpening,
  putUploadPiece,
  sealInquiryForm,
  sendSealedForm,
  toOpeningBody,
  toUploadReference,
  uploadSealedPieces,
} from './sealed-form.ts';
import { findCaseByWords } from './stored-case.ts';

const shop = await startTestShop({ after });

async function prepareSealedForm(files: readonly FormFile[] = [letterFile]) {
  const form = await openPaidForm(shop);
  return { form, sealed: await sealInquiryForm(shop, form, files) };
}

test('a piece that is too long, empty, out of range or of another content type is refused', async () => {
  const { form } = await prepareSealedForm();
  const before = await countStoredRows(shop);
  const id = generateId();
  const one = new Uint8Array(1);
  const full = new Uint8Array(MAX_STORED_PIECE_BYTES + 1);
  assert.equal(
    await formatStatusAndCode(putUploadPiece(shop, form, { upload: id, piece: 0 }, full)),
    '413 payload_too_large',
  );
  for (const piece of ['200', '999'])
    assert.equal(
      await formatStatusAndCode(putUploadPiece(shop, form, { upload: id, piece }, one)),
      '413 payload_too_large',
    );
  for (const piece of ['-1', '01', '1e2', '1000', 'x', '%30x'])
    assert.equal(
      await formatStatusAndCode(putUploadPiece(shop, form, { upload: id, piece }, one)),
      '422 validation_failed',
    );
  for (const malformed of ['short', `${id}x`, `${id.slice(1)}.`])
    assert.equal(
      await formatStatusAndCode(putUploadPiece(shop, form, { upload: malformed, piece: 0 }, one)),
      '422 validation_failed',
    );
  const { status } = await putUploadPiece(shop, form, { upload: id, piece: 0 }, new Uint8Array());
  assert.equal(Math.floor(status / 100), 4);
  const headers = { ...buildFormHeaders(form), 'content-type': 'application/json' };
  const json = await shop.get(`/inquiry/uploads/${id}/0`, { method: 'PUT', headers, body: '{}' });
  assert.equal(Math.floor(json.status / 100), 4);
  const bare = await shop.get(`/inquiry/uploads/${id}/0`, { method: 'PUT', headers: buildFormHeaders(form) });
  assert.equal(Math.floor(bare.status / 100), 4);
  assert.deepEqual(await countStoredRows(shop), before);
});

test('an upload needs a paid form, and no buyer can extend or claim another’s', async () => {
  const { form, sealed } = await prepareSealedForm();
  const stranger = await prepareSealedForm();
  const before = await countStoredRows(shop);
  const place = { upload: sealed.inquiry.upload, piece: 0 };
  const bytes = sealed.inquiry.bytes;
  for (const unpaid of [
    { ...form, token: stranger.form.token },
    { ...form, cookie: 'none=1' },
    { ...form, token: '' },
  ])
    assert.equal(await formatStatusAndCode(putUploadPiece(shop, unpaid, place, bytes)), '403 form_expired');
  assert.deepEqual(await countStoredRows(shop), before);
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  assert.equal(
    await formatStatusAndCode(putUploadPiece(shop, stranger.form, { ...place, piece: 1 }, bytes)),
    '404 not_found',
  );
  const stolen = { ...toOpeningBody(stranger.sealed), inquiry: toUploadReference(sealed.inquiry), files: [] };
  assert.equal(await formatStatusAndCode(postOpening(shop, stranger.form, stolen)), '409 upload_incomplete');
  assert.equal((await postOpening(shop, form, toOpeningBody(sealed))).status, 200);
  assert.equal(await formatStatusAndCode(putUploadPiece(shop, stranger.form, place, bytes)), '404 not_found');
  assert.equal((await sendSealedForm(shop, stranger.form, stranger.sealed)).status, 200);
});

test('a request from another site is refused', async () => {
  const { form, sealed } = await prepareSealedForm();
  const headers = {
    ...buildFormHeaders(form),
    'sec-fetch-site': 'cross-site',
    'content-type': 'application/json',
  };
  const body = JSON.stringify(toOpeningBody(sealed));
  assert.equal(
    await formatStatusAndCode(shop.get('/inquiry/sealed', { method: 'POST', headers, body })),
    '403 foreign_form',
  );
});

test('a redeemed payment accepts no more uploads, and nothing is added to its case', async () => {
  const { form, sealed } = await prepareSealedForm();
  assert.equal((await sendSealedForm(shop, form, sealed)).status, 200);
  const before = await countStoredRows(shop);
  for (const place of [
    { upload: sealed.inquiry.upload, piece: 1 },
    { upload: generateId(), piece: 0 },
  ])
    assert.equal(
      await formatStatusAndCode(putUploadPiece(shop, form, place, new Uint8Array(9))),
      '409 order_redeemed',
    );
  assert.deepEqual(await countStoredRows(shop), before);
});

test('one upload cannot be used twice, in one case or in two', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = toOpeningBody(sealed);
  const [file] = opening.files;
  for (const twice of [
    { ...opening, files: [file, file] },
    { ...opening, files: [opening.inquiry] },
  ])
    assert.match(
      await formatStatusAndCode(postOpening(shop, form, twice)),
      /^(409 upload_incomplete|422 not_sealed)$/,
    );
  assert.equal(await findCaseByWords(shop, sealed.words), undefined, 'and the payment is not spent');
  assert.equal((await postOpening(shop, form, opening)).status, 200);
  const next = await prepareSealedForm();
  await uploadSealedPieces(shop, next.form, [next.sealed.inquiry]);
  const reused = { ...toOpeningBody(next.sealed), files: [file] };
  assert.equal(await formatStatusAndCode(postOpening(shop, next.form, reused)), '409 upload_incomplete');
});

test('a false size is refused, even where that length would be allowed', async () => {
  const { form, sealed } = await prepareSealedForm([largeFile]);
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = toOpeningBody(sealed);
  const [file] = opening.files;
  const shorter = {
    ...opening,
    files: [{ ...file, size: toOpeningBody((await prepareSealedForm()).sealed).files[0]?.size }],
  };
  assert.equal(await formatStatusAndCode(postOpening(shop, form, shorter)), '409 upload_incomplete');
  for (const size of [1, 5_000, 30_000_000, Number.MAX_SAFE_INTEGER]) {
    assert.equal(
      await formatStatusAndCode(postOpening(shop, form, { ...opening, files: [{ ...file, size }] })),
      '422 not_sealed',
    );
    assert.equal(
      await formatStatusAndCode(
        postOpening(shop, form, { ...opening, inquiry: { ...opening.inquiry, size } }),
      ),
      '422 not_sealed',
    );
  }
  assert.equal((await postOpening(shop, form, opening)).status, 200);
});

test('plain text with the length of a sealed file is not stored, and the payment is not spent', async () => {
  const { form, sealed } = await prepareSealedForm();
  const [file] = sealed.files;
  assert.ok(file);
  const createPlainUpload = (length: number) => createSealedUpload(new Uint8Array(length).fill(65));
  const plainInquiry = createPlainUpload(sealed.inquiry.bytes.length);
  const plainFile = createPlainUpload(file.bytes.length);
  await uploadSealedPieces(shop, form, [plainInquiry, plainFile, sealed.inquiry, file]);
  const opening = toOpeningBody(sealed);
  const refused = [
    { ...opening, inquiry: toUploadReference(plainInquiry) },
    { ...opening, files: [toUploadReference(plainFile)] },
    { ...opening, case_key: Buffer.from('the key in clear').toString('base64url') },
    { ...opening, case_key: 'AA' },
  ];
  for (const one of refused)
    assert.equal(await formatStatusAndCode(postOpening(shop, form, one)), '422 not_sealed');
  assert.equal(await findCaseByWords(shop, sealed.words), undefined);
  assert.equal((await postOpening(shop, form, opening)).status, 200);
});

test('an inquiry sealed to a classical key, or to fewer or more keys than it should be, is not stored', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const classical = new Encrypter();
  for (let count = 0; count < 3; count += 1)
    classical.addRecipient(await identityToRecipient(await generateX25519Identity()));
  const { desk, recovery } = await shop.services.sealingKeys;
  const opening = toOpeningBody(sealed);
  for (const [caseKey, refusal] of [
    [await classical.encrypt('a key'), '422 not_sealed'],
    [await sealBytes(new Uint8Array(9), [recovery, ...desk]), '409 sealing_keys_changed'],
    [await sealBytes(new Uint8Array(9), [sealed.key.recipient]), '409 sealing_keys_changed'],
    [
      await sealCaseKey(sealed.key, { desk: [...desk, sealed.key.recipient], recovery }),
      '409 sealing_keys_changed',
    ],
  ] as const) {
    const case_key = Buffer.from(caseKey).toString('base64url');
    assert.equal(await formatStatusAndCode(postOpening(shop, form, { ...opening, case_key })), refusal);
  }
  assert.equal((await postOpening(shop, form, opening)).status, 200, 'and the payment is not spent');
});

test('an inquiry that was sealed to a previous set of as many keys is refused, and can be sealed again', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = toOpeningBody(sealed);
  const { desk, recovery } = await shop.services.sealingKeys;
  const previous = computeRecipientSetTag({ desk: [recovery], recovery: desk[0] ?? '' });
  assert.equal(
    await formatStatusAndCode(postOpening(shop, form, { ...opening, sealing_set: previous })),
    '409 sealing_keys_changed',
  );
  assert.equal((await postOpening(shop, form, opening)).status, 200, 'and the payment is not spent');
  assert.equal((await findCaseByWords(shop, sealed.words))?.sealed_to, opening.sealing_set);
});

test('a case of a sender that does not say which keys it sealed to is marked as such', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const { sealing_set: _set, ...opening } = toOpeningBody(sealed);
  assert.equal((await postOpening(shop, form, opening)).status, 200);
  assert.equal((await findCaseByWords(shop, sealed.words))?.sealed_to, null);
});

test('once the keys have changed, a sender must say which keys it sealed to', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const { sealing_set: _set, ...opening } = toOpeningBody(sealed);
  const { set } = await shop.services.sealingKeys;
  const { records } = shop.store;
  await replaceRecipientSet(records, set, { tag: 'others', members: '[]' });
  await replaceRecipientSet(records, 'others', { tag: set, members: '[]' });
  assert.deepEqual(await formatStatusAndCode(postOpening(shop, form, opening)), '409 sealing_keys_changed');
  assert.equal((await postOpening(shop, form, toOpeningBody(sealed))).status, 200);
});

test('an instance that still has previous keys stores nothing, and says that it is for a moment', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const { set } = await shop.services.sealingKeys;
  const adopt = (previous: string, tag: string) =>
    replaceRecipientSet(shop.store.records, previous, { tag, members: '[]' });
  await adopt(set, 'today');
  const before = await countStoredRows(shop);
  const refused = await postOpening(shop, form, toOpeningBody(sealed));
  assert.deepEqual([refused.status, refused.json['code']], [503, 'sealing_keys_changing']);
  assert.equal(refused.headers['retry-after'], '30');
  const message = { topic: 'question', message: 'Who will be able to read this?' };
  const contact = await postFormFields(shop, '/contact', message);
  assert.equal(contact.status, 503);
  assert.match(contact.text, /Who will be able to read this/, 'what was typed is shown again');
  assert.equal((await shop.get('/api/ready')).status, 503);
  assert.deepEqual(await countStoredRows(shop), before);
  await adopt('today', set);
  assert.equal((await postOpening(shop, form, toOpeningBody(sealed))).status, 200);
});

test('a body of another shape is refused field by field', async () => {
  const { form, sealed } = await prepareSealedForm();
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  const opening = toOpeningBody(sealed);
  const { lookup_hash: _hash, ...without } = opening;
  for (const malformed of [
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
    { ...opening, terms_version: 1999 },
    { ...opening, files: Array.from({ length: 11 }, () => opening.files[0]) },
    { ...opening, inquiry: { ...opening.inquiry, size: 0 } },
    { ...opening, inquiry: { ...opening.inquiry, size: 1.5 } },
    { ...opening, inquiry: { ...opening.inquiry, upload: '' } },
    [],
    null,
    'sealed',
  ])
    assert.equal(
      await formatStatusAndCode(postOpening(shop, form, malformed)),
      '422 validation_failed',
      JSON.stringify(malformed),
    );
  assert.equal((await postOpening(shop, form, opening)).status, 200);
});

test('a lookup hash without the sealed key of its case tells nothing, while the case is there and afterwards', async () => {
  const { form, sealed } = await prepareSealedForm();
  await sendSealedForm(shop, form, sealed);
  const stranger = { cookie: 'none=1', token: '' };
  const ask = async (lookupHash: string) => {
    const { sealed: own } = await prepareSealedForm();
    const { status, headers, text } = await postOpening(shop, stranger, {
      ...toOpeningBody(own),
      lookup_hash: lookupHash,
    });
    const { 'x-request-id': requestId, date: _, ...rest } = headers;
    return { status, headers: rest, text: text.replaceAll(String(requestId), '') };
  };
  const unknown = await ask('A'.repeat(43));
  assert.deepEqual([unknown.status, JSON.parse(unknown.text).code], [403, 'form_expired']);
  assert.deepEqual(await ask(sealed.keys.lookupHash), unknown);
  assert.equal((await postOpening(shop, stranger, toOpeningBody(sealed))).status, 200, 'its sender is told');
  const record = await findCaseByWords(shop, sealed.words);
  const { records } = shop.store;
  await records.updateTable('cases').set({ purging: 1 }).where('id', '=', String(record?.id)).execute();
  assert.deepEqual(await ask(sealed.keys.lookupHash), unknown);
  const tombstone = { id: generateId(), tier: 'Trace', month: '2026-11', outcome: 'delivered' } as const;
  const told = { lookup_hash: 'E'.repeat(43), purged_on: '2026-11-15', forget_at: Date.now() + 1e9 };
  await records
    .insertInto('tombstones')
    .values({ ...tombstone, ...told })
    .execute();
  assert.deepEqual(await ask(told.lookup_hash), unknown);
});
