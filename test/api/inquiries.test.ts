/** Submitting an inquiry through the API: sealed or in plain, paid, and only once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { generateWords } from '#seal/core/words.ts';
import { CALL_NUMBER, createCallTimes } from '#test/cases/call-times.ts';
import { computeAddedRows, countStoredRows } from '#test/cases/row-counts.ts';
import { largeFile, letterFile, toUploadReference } from '#test/cases/sealed-form.ts';
import {
  findCaseByWords,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
} from '#test/cases/stored-case.ts';
import {
  assertProblem,
  buyAndPay,
  samplePlainInquiry,
  sealInquiryForOrder,
  shareApiTestbed,
  toInlineSealedBody,
  uploadSealedFiles,
} from './api-testbed.ts';

const testbed = await shareApiTestbed();
const agent = await testbed.createAgent();

test('a client seals an inquiry for its own order, and the desk can decrypt it', async () => {
  const order = await agent.buy('Dossier');
  const form = await sealInquiryForOrder(testbed, order);
  const answer = await agent.submit({
    order_id: order.orderId,
    sealed: toInlineSealedBody(form),
    keep_days: 90,
  });
  assert.equal(answer.status, 201, answer.text);
  const { id, state, tier, sealed_by, keep_days, words } = answer.json;
  assert.deepEqual(
    [state, tier, sealed_by, keep_days, words],
    ['received', 'Dossier', 'agent', 90, undefined],
  );
  assert.equal(answer.headers.location, `${testbed.origin}/api/cases/${id}`);
  const record = await findCaseByWords(testbed, form.words);
  assert.ok(record);
  const key = await openStoredCaseKey(testbed, record, await readPrivateKey(testbed.dataDir, 'desk'));
  assert.equal((await openStoredInquiry(testbed, record, key)).payment_ref, order.orderId);
});

test('large files are uploaded first, for their paid order', async () => {
  const order = await agent.buy();
  const form = await sealInquiryForOrder(testbed, order, [letterFile, largeFile]);
  await uploadSealedFiles(agent, order, form);
  const { envelope: _inline, ...sealed } = toInlineSealedBody(form);
  const body = { order_id: order.orderId, sealed: { ...sealed, inquiry: toUploadReference(form.inquiry) } };
  const answer = await agent.submit(body);
  assert.equal(answer.status, 201, answer.text);
  const record = await findCaseByWords(testbed, form.words);
  assert.ok(record);
  const { content } = await openStoredFile(testbed, record, form.key, 1);
  assert.deepEqual(Buffer.from(content), Buffer.from(largeFile.content));
});

test('a plain inquiry is sealed on arrival, and a repetition gives its words again if the key is random', async () => {
  const { orderId } = await agent.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
  const key = { 'idempotency-key': randomUUID() };
  const answer = await agent.submit(body, key);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json['sealed_by'], 'server');
  const words = String(answer.json['words']);
  const record = await findCaseByWords(testbed, words);
  assert.equal(record?.id, answer.json['id']);
  const reversed = Object.fromEntries(Object.entries(samplePlainInquiry).toReversed());
  const again = await agent.submit({ plain: { inquiry: reversed }, order_id: orderId }, key);
  assert.deepEqual([again.status, again.json], [201, { ...answer.json, repeated: true }]);
  assert.deepEqual([answer.json['words_repeatable'], answer.json['repeated']], [true, undefined]);
  assertProblem(await agent.submit({ ...body, keep_days: 90 }, key), 422, 'idempotency_key_reused');
  assertProblem(await agent.submit(body), 409, 'order_redeemed');
  const stranger = await testbed.createAgent();
  assertProblem(await stranger.submit(body, key), 404, 'not_found');
});

test('words that could be guessed from their key are random, and are returned once', async () => {
  for (const [key, status] of [
    [{ 'idempotency-key': 'order-1' }, 201],
    [{}, 409],
  ] as const) {
    const { orderId } = await agent.buy();
    const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
    const answer = await agent.submit(body, key);
    assert.equal(answer.json['words_repeatable'], false, answer.text);
    const again = await agent.submit(body, key);
    assert.equal(again.json['words'], undefined);
    assert.equal(again.status, status, again.text);
    if (status === 201) assert.equal(again.json['words_repeatable'], false, 'says why there are none');
    else assertProblem(again, 409, 'order_redeemed');
  }
});

test('words are made again only while the Idempotency-Key is known, and never from the records alone', async () => {
  const { orderId } = await agent.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
  const key = { 'idempotency-key': randomUUID() };
  const { json } = await agent.submit(body, key);
  const { records } = testbed.services.store;
  const rows = await records.selectFrom('idempotency').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(key['idempotency-key']), 'the key itself is not kept');
  await records.deleteFrom('idempotency').where('record_id', '=', String(json['id'])).execute();
  assertProblem(await agent.submit(body, key), 409, 'order_redeemed');
});

test('times for a call need a number, lie ahead and belong to a tier with a call, or nothing is opened', async () => {
  const { orderId } = await agent.buy('Dossier');
  const trace = await agent.buy();
  const { window } = createCallTimes();
  const submitCall = async (order: string, call: object) =>
    await agent.submit({ order_id: order, plain: { inquiry: { ...samplePlainInquiry, ...call } } });
  const listPointers = async (order: string, call: object) => {
    const answer = await submitCall(order, call);
    assertProblem(answer, 422, 'validation_failed');
    return (answer.json['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
  };
  const past = { ...window, start: '2020-05-04T10:00' };
  const given = { call_number: CALL_NUMBER, call_windows: [window] };
  assert.deepEqual(await listPointers(orderId, { ...given, call_windows: [window, past] }), [
    '/plain/inquiry/call_windows/1/start',
  ]);
  assert.deepEqual(await listPointers(orderId, { call_windows: [window] }), ['/plain/inquiry/call_number']);
  assert.deepEqual(await listPointers(trace.orderId, given), [
    '/plain/inquiry/call_windows',
    '/plain/inquiry/call_number',
  ]);
  const answer = await submitCall(orderId, given);
  assert.equal(answer.status, 201, answer.text);
});

test('a plain inquiry may bring its own words, so that a lost response loses nothing', async () => {
  const { orderId } = await agent.buy();
  const words = generateWords();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry, words: words.toUpperCase() } };
  const [first, second] = [await agent.submit(body), await agent.submit(body)];
  assert.deepEqual([first.status, second.status], [201, 201], first.text);
  assert.deepEqual(second.json, { ...first.json, repeated: true });
  assert.equal(first.json['words'], undefined);
  assert.equal((await findCaseByWords(testbed, words))?.id, first.json['id']);
});

async function createUnpaidOrder() {
  const { json } = await testbed.postCheckout('Trace', { authorization: agent.authorization });
  const sessionId = String(json['url']).split('/').at(-1) ?? '';
  return { sessionId, orderId: (await testbed.findOrder(sessionId))?.id ?? '' };
}

test('an unpaid order opens no case, and a paid one opens one', async () => {
  const { sessionId, orderId } = await createUnpaidOrder();
  const form = await sealInquiryForOrder(testbed, { orderId });
  const before = await countStoredRows(testbed);
  assertProblem(
    await agent.submit({ order_id: orderId, sealed: toInlineSealedBody(form) }),
    402,
    'payment_required',
  );
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {});
  await testbed.sandbox.pay(sessionId);
  const answer = await agent.submit({ order_id: orderId, sealed: toInlineSealedBody(form) });
  assert.equal(answer.status, 201, answer.text);
  const other = await sealInquiryForOrder(testbed, { orderId });
  assertProblem(
    await agent.submit({ order_id: orderId, sealed: toInlineSealedBody(other) }),
    409,
    'order_redeemed',
  );
  const again = await agent.submit({ order_id: orderId, sealed: toInlineSealedBody(form) });
  assert.deepEqual([again.json['id'], again.json['repeated']], [answer.json['id'], true]);
});

test('an order bought on the site is redeemed with its session id, by one of two clients', async () => {
  const order = await buyAndPay(testbed, 'Trace');
  const forms = [await sealInquiryForOrder(testbed, order), await sealInquiryForOrder(testbed, order)];
  const answers = await Promise.all(
    forms.map((form) => agent.submit({ session_id: order.sessionId, sealed: toInlineSealedBody(form) })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409],
  );
  const third = toInlineSealedBody(await sealInquiryForOrder(testbed, order));
  assertProblem(await agent.submit({ order_id: order.orderId, sealed: third }), 404, 'not_found');
});

test('words of an earlier case are refused with another order, which stays unspent', async () => {
  const first = await agent.buy();
  const form = await sealInquiryForOrder(testbed, first);
  const sealed = toInlineSealedBody(form);
  assert.equal((await agent.submit({ order_id: first.orderId, sealed })).status, 201);
  const plain = { inquiry: samplePlainInquiry, words: generateWords() };
  const sent = await agent.submit({ order_id: (await agent.buy()).orderId, plain });
  assert.equal(sent.status, 201, sent.text);
  const next = await agent.buy();
  const before = await countStoredRows(testbed);
  for (const order of [{ order_id: next.orderId }, { session_id: next.sessionId }])
    for (const inquiry of [{ sealed }, { plain }])
      assertProblem(await agent.submit({ ...order, ...inquiry }), 409, 'case_exists');
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {});
  const unpaid = (await createUnpaidOrder()).orderId;
  for (const inquiry of [{ sealed }, { plain }])
    assertProblem(await agent.submit({ order_id: unpaid, ...inquiry }), 402, 'payment_required');
  const own = { inquiry: samplePlainInquiry, words: generateWords() };
  assert.equal((await agent.submit({ order_id: next.orderId, plain: own })).status, 201);
});

test('words that every reader of an example knows open no case', async () => {
  const { orderId } = await agent.buy();
  for (const words of [
    `${'abandon '.repeat(11)}about`,
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
  ]) {
    const answer = await agent.submit({ order_id: orderId, plain: { inquiry: samplePlainInquiry, words } });
    assertProblem(answer, 422, 'validation_failed');
    assert.match(answer.text, /"\/plain\/words","detail":"These words stand in published examples/);
  }
});

test('a body that is not sealed, incomplete or not an inquiry is refused and spends nothing', async () => {
  const order = await agent.buy();
  const { orderId: order_id } = order;
  const form = await sealInquiryForOrder(testbed, order);
  const sealed = toInlineSealedBody(form);
  const before = await countStoredRows(testbed);
  const unsealed = Buffer.alloc(form.inquiry.bytes.length, 1).toString('base64url');
  const refused: [object, number, string][] = [
    [{ order_id, sealed: { ...sealed, envelope: unsealed } }, 422, 'not_sealed'],
    [{ order_id, sealed: { ...sealed, case_key: unsealed } }, 422, 'not_sealed'],
    [{ order_id, sealed: { ...sealed, case_key: sealed.envelope } }, 409, 'sealing_keys_changed'],
    [{ order_id, sealed: { ...sealed, envelope: sealed.envelope.slice(4) } }, 422, 'not_sealed'],
    [{ order_id, sealed: { ...sealed, files: [{ upload: 'B'.repeat(22), size: 500 }] } }, 422, 'not_sealed'],
    [{ order_id, sealed, plain: { inquiry: samplePlainInquiry } }, 422, 'validation_failed'],
    [{ order_id, session_id: order.sessionId, sealed }, 422, 'validation_failed'],
    [{ sealed }, 422, 'validation_failed'],
    [{ order_id }, 422, 'validation_failed'],
    [{ order_id, sealed: { ...sealed, inquiry: toUploadReference(form.inquiry) } }, 422, 'validation_failed'],
    [{ order_id, sealed, terms_version: '1999-01' }, 422, 'terms_changed'],
    [{ order_id, sealed, unknown: 1 }, 422, 'validation_failed'],
  ];
  for (const [body, status, code] of refused) assertProblem(await agent.submit(body), status, code);
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {});
  assert.equal((await agent.submit({ order_id, sealed })).status, 201);
});

test('what only the rules of the form refuse is refused in its words', async () => {
  const { orderId } = await agent.buy();
  const inquiry = { ...samplePlainInquiry, question: ' '.repeat(30), contact: { mode: 'email', value: '' } };
  const answer = await agent.submit({ order_id: orderId, plain: { inquiry } });
  assertProblem(answer, 422, 'validation_failed');
  assert.deepEqual(answer.json['errors'], [
    { pointer: '/plain/inquiry/question', detail: ENGLISH.say('fault.question.missing', { min: 20 }) },
    { pointer: '/plain/inquiry/contact/value', detail: ENGLISH.say('fault.contact_value.missing') },
  ]);
});
