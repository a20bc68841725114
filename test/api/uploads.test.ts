/** Uploading pieces of sealed files for one's own paid order: size, position and repetition. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { computeAddedRows, countStoredRows } from '#test/cases/row-counts.ts';
import { readCheckoutSessionId } from '#test/test-shop.ts';
import {
  assertProblem,
  sealInquiryForOrder,
  shareApiTestbed,
  toInlineSealedBody,
  uploadSealedFiles,
} from './api-testbed.ts';

const testbed = await shareApiTestbed();
const agent = await testbed.createAgent();
const paidOrder = await agent.buy();
const uploadPiece = (order: string, upload: string, piece: string, body: unknown = randomBytes(10)) =>
  agent.request('PUT', `/orders/${order}/uploads/${upload}/${piece}`, body);

test('uploads are refused until the order is paid, without asking the provider for every piece', async () => {
  const session = readCheckoutSessionId(
    await testbed.postCheckout('Trace', { authorization: agent.authorization }),
  );
  const order = (await testbed.findOrder(session))?.id ?? '';
  await testbed.sandbox.setFaults();
  for (const piece of ['0', '1', '2'])
    assertProblem(await uploadPiece(order, 'P'.repeat(22), piece), 402, 'payment_required');
  assert.deepEqual((await testbed.sandbox.readCalls()).counts, {});
});

test('a piece that is too large, empty, of another type or out of range is refused, and nothing is stored', async () => {
  const before = await countStoredRows(testbed);
  const { orderId } = paidOrder;
  assertProblem(
    await uploadPiece(orderId, 'L'.repeat(22), '0', randomBytes(256 * 1024 + 1)),
    413,
    'payload_too_large',
  );
  assertProblem(await uploadPiece(orderId, 'L'.repeat(22), '0', new Uint8Array()), 422, 'validation_failed');
  assertProblem(await uploadPiece(orderId, 'L'.repeat(22), '0', { bytes: 1 }), 415, 'unsupported_media_type');
  assertProblem(await uploadPiece(orderId, 'L'.repeat(22), '200'), 422, 'validation_failed');
  assertProblem(await uploadPiece(orderId, 'L'.repeat(22), '-1'), 422, 'validation_failed');
  assertProblem(await uploadPiece(orderId, 'short', '0'), 422, 'validation_failed');
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {});
});

test('a caller without the order is told so before anything of the body is read', async () => {
  const tooLarge = randomBytes(256 * 1024 + 1);
  assertProblem(await uploadPiece('N'.repeat(22), 'N'.repeat(22), '0', tooLarge), 404, 'not_found');
});

test('a repeated piece is stored once, and an upload belongs to its order', async () => {
  const other = await agent.buy();
  const before = await countStoredRows(testbed);
  const uploadSamePiece = () => uploadPiece(paidOrder.orderId, 'T'.repeat(22), '0');
  for (const { status } of [await uploadSamePiece(), await uploadSamePiece()]) assert.equal(status, 204);
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {
    objects: 1,
    staged: 1,
    pieces: 1,
  });
  assertProblem(await uploadPiece(other.orderId, 'T'.repeat(22), '1'), 404, 'not_found');
});

test('an inquiry that names an incomplete upload is refused, and accepted once it is complete', async () => {
  const order = await agent.buy();
  const form = await sealInquiryForOrder(testbed, order, [{ name: 'a.txt', content: new Uint8Array(3_000) }]);
  const body = { order_id: order.orderId, sealed: toInlineSealedBody(form) };
  assertProblem(await agent.submit(body), 409, 'upload_incomplete');
  await uploadSealedFiles(agent, order, form);
  assert.equal((await agent.submit(body)).status, 201);
  assertProblem(await uploadPiece(order.orderId, 'Q'.repeat(22), '0'), 409, 'order_redeemed');
});
