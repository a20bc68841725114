/** The inquiry form with a script: what opens a case, and what is refused because it is incomplete or not sealed. */
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
import { type FormFile, openPaidForm, type PlainForm, postFormFields } from './plain-form.ts';
import { computeAddedRows, countStoredRows } from './row-counts.ts';
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
  splitIntoPieces,
  toOpeningBody,
  toUploadReference,
  uploadSealedPieces,
} from './sealed-form.ts';
import { findCaseByWords, openStoredCase } from './stored-case.ts';

const shop = await startTestShop({ after });

async function prepareSealedForm(files: readonly FormFile[] = [letterFile]) {
  const form = await openPaidForm(shop);
  return { form, sealed: await sealInquiryForm(shop, form, files) };
}

/** Everything is uploaded, and the case not opened. */
async function uploadSealedForm(files?: readonly FormFile[]) {
  const { form, sealed } = await prepareSealedForm(files);
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  return { form, sealed, opening: toOpeningBody(sealed) };
}

type Sender = Pick<PlainForm, 'cookie' | 'token'>;

const put = (form: Sender, upload: string, piece: number | string, bytes: Uint8Array) =>
  formatStatusAndCode(putUploadPiece(shop, form, { upload, piece }, bytes));

const open = (form: Sender, opening: unknown) => formatStatusAndCode(postOpening(shop, form, opening));

test('an inquiry sealed in the browser opens a case once all pieces are there, and clears the payment cookie', async () => {
  const { form, sealed } = await prepareSealedForm([largeFile]);
  const [file] = sealed.files;
  assert.ok(file);
  const before = await countStoredRows(shop);
  await uploadSealedPieces(shop, form, [sealed.inquiry]);
  const pieces = splitIntoPieces(file);
  assert.equal(await open(form, toOpeningBody(sealed)), '409 upload_incomplete');
  for (const piece of [0, 2, 3]) await put(form, file.upload, piece, pieces[piece] ?? new Uint8Array(1));
  assert.equal(await open(form, toOpeningBody(sealed)), '409 upload_incomplete');
  assert.equal(await findCaseByWords(shop, sealed.words), undefined);
  await put(form, file.upload, 1, pieces[1]!);
  const answer = await postOpening(shop, form, toOpeningBody(sealed));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), ['due']);
  assert.match(answer.headers['set-cookie']?.[0] ?? '', /^__Host-inquiry=;/);
  const { record, inquiry, openFile } = await openStoredCase(shop, sealed.words);
  assert.equal(record.sealed_by, 'browser');
  const { datetime } = answer.json['due'] as { datetime: string };
  assert.equal(new Date(datetime).getTime(), record.due_at);
  assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), {
    cases: 1,
    objects: 2,
    pieces: 1 + pieces.length,
  });
  assert.match(inquiry.question, /CANARY-QUESTION/);
  assert.ok(Buffer.from(largeFile.content).equals((await openFile(0)).content));
});

test('a piece that is too long, empty, out of range or of another content type is refused', async () => {
  const { form } = await prepareSealedForm();
  const before = await countStoredRows(shop);
  const id = generateId();
  const one = new Uint8Array(1);
  assert.equal(await put(form, id, 0, new Uint8Array(MAX_STORED_PIECE_BYTES + 1)), '413 payload_too_large');
  for (const piece of ['200', '999']) assert.equal(await put(form, id, piece, one), '413 payload_too_large');
  for (const piece of ['-1', '01', '1e2', '1000', 'x', '%30x'])
    assert.equal(await put(form, id, piece, one), '422 validation_failed');
  for (const malformed of ['short', `${id}x`, `${id.slice(1)}.`])
    assert.equal(await put(form, malformed, 0, one), '422 validation_failed');
  assert.match(await put(form, id, 0, new Uint8Array()), /^4/);
  const headers = buildFormHeaders(form);
  for (const content of [
    { headers: { ...headers, 'content-type': 'application/json' }, body: '{}' },
    { headers },
  ]) {
    const { status } = await shop.get(`/inquiry/uploads/${id}/0`, { method: 'PUT', ...content });
    assert.equal(Math.floor(status / 100), 4);
  }
  assert.deepEqual(await countStoredRows(shop), before);
});

test('an upload needs a paid form, and no buyer can extend or claim another’s', async () => {
  const { form, sealed } = await prepareSealedForm();
  const stranger = await prepareSealedForm();
  const before = await countStoredRows(shop);
  const { upload, bytes } = sealed.inquiry;
  for (const unpaid of [
    { ...form, token: stranger.form.token },
    { ...form, cookie: 'none=1' },
    { ...form, token: '' },
  ])
    assert.equal(await put(unpaid, upload, 0, bytes), '403 form_expired');
  assert.deepEqual(await countStoredRows(shop), before);
  await uploadSealedPieces(shop, form, [sealed.inquiry, ...sealed.files]);
  assert.equal(await put(stranger.form, upload, 1, bytes), '404 not_found');
  const stolen = { ...toOpeningBody(stranger.sealed), inquiry: toUploadReference(sealed.inquiry), files: [] };
  assert.equal(await open(stranger.form, stolen), '409 upload_incomplete');
  assert.equal(await open(form, toOpeningBody(sealed)), '200');
  assert.equal(await put(stranger.form, upload, 0, bytes), '404 not_found');
  assert.equal((await sendSealedForm(shop, stranger.form, stranger.sealed)).status, 200);
});

test('a request from another site is refused', async () => {
  const { form, sealed } = await prepareSealedForm();
  const foreign = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' };
  const headers = { ...buildFormHeaders(form), ...foreign };
  const body = JSON.stringify(toOpeningBody(sealed));
  const request = shop.get('/inquiry/sealed', { method: 'POST', headers, body });
  assert.equal(await formatStatusAndCode(request), '403 foreign_form');
});

test('a redeemed payment accepts no more uploads, and nothing is added to its case', async () => {
  const { form, sealed } = await prepareSealedForm();
  assert.equal((await sendSealedForm(shop, form, sealed)).status, 200);
  const before = await countStoredRows(shop);
  assert.equal(await put(form, sealed.inquiry.upload, 1, new Uint8Array(9)), '409 order_redeemed');
  assert.equal(await put(form, generateId(), 0, new Uint8Array(9)), '409 order_redeemed');
  assert.deepEqual(await countStoredRows(shop), before);
});

test('one upload cannot be used twice, in one case or in two', async () => {
  const { form, sealed, opening } = await uploadSealedForm();
  const [file] = opening.files;
  for (const files of [[file, file], [opening.inquiry]])
    assert.match(await open(form, { ...opening, files }), /^(409 upload_incomplete|422 not_sealed)$/);
  assert.equal(await findCaseByWords(shop, sealed.words), undefined, 'and the payment is not spent');
  assert.equal(await open(form, opening), '200');
  const next = await uploadSealedForm();
  assert.equal(await open(next.form, { ...next.opening, files: [file] }), '409 upload_incomplete');
});

test('a false size is refused, even where that length would be allowed', async () => {
  const { form, opening } = await uploadSealedForm([largeFile]);
  const [file] = opening.files;
  const [shorter] = toOpeningBody((await prepareSealedForm()).sealed).files;
  const openWith = (size: number | undefined) => open(form, { ...opening, files: [{ ...file, size }] });
  assert.equal(await openWith(shorter?.size), '409 upload_incomplete');
  for (const size of [1, 5_000, 30_000_000, Number.MAX_SAFE_INTEGER]) {
    assert.equal(await openWith(size), '422 not_sealed');
    assert.equal(await open(form, { ...opening, inquiry: { ...opening.inquiry, size } }), '422 not_sealed');
  }
  assert.equal(await open(form, opening), '200');
});

test('plain text with the length of a sealed file is not stored, and the payment is not spent', async () => {
  const { form, sealed, opening } = await uploadSealedForm();
  const [plainInquiry, plainFile] = [sealed.inquiry, sealed.files[0]!].map(({ bytes }) =>
    createSealedUpload(new Uint8Array(bytes.length).fill(65)),
  );
  assert.ok(plainInquiry && plainFile);
  await uploadSealedPieces(shop, form, [plainInquiry, plainFile]);
  for (const plain of [
    { inquiry: toUploadReference(plainInquiry) },
    { files: [toUploadReference(plainFile)] },
    { case_key: Buffer.from('the key in clear').toString('base64url') },
    { case_key: 'AA' },
  ])
    assert.equal(await open(form, { ...opening, ...plain }), '422 not_sealed');
  assert.equal(await findCaseByWords(shop, sealed.words), undefined);
  assert.equal(await open(form, opening), '200');
});

test('an inquiry sealed to a classical key, or to fewer or more keys than it should be, is not stored', async () => {
  const { form, sealed, opening } = await uploadSealedForm();
  const classical = new Encrypter();
  for (let count = 0; count < 3; count += 1)
    classical.addRecipient(await identityToRecipient(await generateX25519Identity()));
  const { desk, recovery } = await shop.services.sealingKeys;
  const wider = { desk: [...desk, sealed.key.recipient], recovery };
  for (const [caseKey, refusal] of [
    [await classical.encrypt('a key'), '422 not_sealed'],
    [await sealBytes(new Uint8Array(9), [recovery, ...desk]), '409 sealing_keys_changed'],
    [await sealBytes(new Uint8Array(9), [sealed.key.recipient]), '409 sealing_keys_changed'],
    [await sealCaseKey(sealed.key, wider), '409 sealing_keys_changed'],
  ] as const) {
    const case_key = Buffer.from(caseKey).toString('base64url');
    assert.equal(await open(form, { ...opening, case_key }), refusal);
  }
  assert.equal(await open(form, opening), '200', 'and the payment is not spent');
});

test('an inquiry that was sealed to a previous set of as many keys is refused, and can be sealed again', async () => {
  const { form, sealed, opening } = await uploadSealedForm();
  const { desk, recovery } = await shop.services.sealingKeys;
  const previous = computeRecipientSetTag({ desk: [recovery], recovery: desk[0] ?? '' });
  assert.equal(await open(form, { ...opening, sealing_set: previous }), '409 sealing_keys_changed');
  assert.equal(await open(form, opening), '200', 'and the payment is not spent');
  assert.equal((await findCaseByWords(shop, sealed.words))?.sealed_to, opening.sealing_set);
});

test('a sender need not say which keys it sealed to until they change; its case is marked as such', async () => {
  const [first, second] = [await uploadSealedForm(), await uploadSealedForm()];
  const unnamed = ({ opening: { sealing_set: _set, ...opening } }: typeof first) => opening;
  assert.equal(await open(first.form, unnamed(first)), '200');
  assert.equal((await findCaseByWords(shop, first.sealed.words))?.sealed_to, null);
  const { set } = await shop.services.sealingKeys;
  const { records } = shop.store;
  await replaceRecipientSet(records, set, { tag: 'others', members: '[]' });
  await replaceRecipientSet(records, 'others', { tag: set, members: '[]' });
  assert.equal(await open(second.form, unnamed(second)), '409 sealing_keys_changed');
  assert.equal(await open(second.form, second.opening), '200');
});

test('an instance that still has previous keys stores nothing, and says that it is for a moment', async () => {
  const { form, opening } = await uploadSealedForm();
  const { set } = await shop.services.sealingKeys;
  const adopt = (previous: string, tag: string) =>
    replaceRecipientSet(shop.store.records, previous, { tag, members: '[]' });
  await adopt(set, 'today');
  const before = await countStoredRows(shop);
  const refused = await postOpening(shop, form, opening);
  assert.deepEqual([refused.status, refused.json['code']], [503, 'sealing_keys_changing']);
  assert.equal(refused.headers['retry-after'], '30');
  const message = { topic: 'question', message: 'Who will be able to read this?' };
  const contact = await postFormFields(shop, '/contact', message);
  assert.equal(contact.status, 503);
  assert.match(contact.text, /Who will be able to read this/, 'what was typed is shown again');
  assert.equal((await shop.get('/api/ready')).status, 503);
  assert.deepEqual(await countStoredRows(shop), before);
  await adopt('today', set);
  assert.equal(await open(form, opening), '200');
});

test('a body of another shape is refused field by field', async () => {
  const { form, opening } = await uploadSealedForm();
  const { lookup_hash: hash, ...without } = opening;
  const malformed = [
    { question: 'in clear' },
    { inquiry: { ...opening.inquiry, name: 'in clear' } },
    { lookup_hash: hash.slice(1) },
    { lookup_hash: `${hash.slice(0, 42)}_` },
    { lookup_hash: `${hash.slice(1)}=` },
    { case_key: `${opening.case_key}==` },
    { case_key: '+/' },
    { case_key: '' },
    { keep_days: 31 },
    { keep_days: '30' },
    { terms_version: 1999 },
    { files: Array.from({ length: 11 }, () => opening.files[0]) },
    { inquiry: { ...opening.inquiry, size: 0 } },
    { inquiry: { ...opening.inquiry, size: 1.5 } },
    { inquiry: { ...opening.inquiry, upload: '' } },
  ].map((change) => ({ ...opening, ...change }));
  for (const body of [without, ...malformed, [], null, 'sealed'])
    assert.equal(await open(form, body), '422 validation_failed', JSON.stringify(body));
  assert.equal(await open(form, opening), '200');
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
  assert.equal(await open(stranger, toOpeningBody(sealed)), '200', 'its sender is told');
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
