/** Pieces of sealed files: for a paid order of one's own, of a size, in their places, and gone if nobody comes for them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { after } from 'node:test';
import { added, stored } from '#test/cases/stored.ts';
import { sessionIdOf } from '#test/shop.ts';
import { inlined, isProblem, openAgency, sealFor, uploadFiles } from './agency.ts';

const agency = await openAgency({ after });
const agent = await agency.agent();
const bought = await agent.buy();
const put = (order: string, upload: string, piece: string, body: unknown = randomBytes(10)) =>
  agent.ask('PUT', `/orders/${order}/uploads/${upload}/${piece}`, body);

test('until its order is paid nothing is uploaded, and the provider is not asked for every piece', async () => {
  const session = sessionIdOf(await agency.checkout('Trace', { authorization: agent.authorization }));
  const order = (await agency.order(session))?.id ?? '';
  await agency.sandbox.faults();
  for (const piece of ['0', '1', '2'])
    isProblem(await put(order, 'P'.repeat(22), piece), 402, 'payment_required');
  assert.deepEqual((await agency.sandbox.calls()).counts, {});
});

test('a piece that is too large, empty, of another type or at no place is refused, and nothing is kept', async () => {
  const before = await stored(agency);
  const { orderId } = bought;
  isProblem(await put(orderId, 'L'.repeat(22), '0', randomBytes(256 * 1024 + 1)), 413, 'payload_too_large');
  isProblem(await put(orderId, 'L'.repeat(22), '0', new Uint8Array()), 413, 'payload_too_large');
  isProblem(await put(orderId, 'L'.repeat(22), '0', { bytes: 1 }), 415, 'unsupported_media_type');
  isProblem(await put(orderId, 'L'.repeat(22), '200'), 422, 'validation_failed');
  isProblem(await put(orderId, 'L'.repeat(22), '-1'), 422, 'validation_failed');
  isProblem(await put(orderId, 'short', '0'), 422, 'validation_failed');
  assert.deepEqual(added(before, await stored(agency)), {});
});

test('a piece that comes twice is kept once, and an upload belongs to the order that it was made for', async () => {
  const other = await agent.buy();
  const before = await stored(agency);
  const send = () => put(bought.orderId, 'T'.repeat(22), '0');
  for (const { status } of [await send(), await send()]) assert.equal(status, 204);
  assert.deepEqual(added(before, await stored(agency)), { objects: 1, staged: 1, pieces: 1 });
  isProblem(await put(other.orderId, 'T'.repeat(22), '1'), 404, 'not_found');
});

test('an inquiry that names what was not uploaded whole is refused, and goes through once it is', async () => {
  const order = await agent.buy();
  const form = await sealFor(agency, order, [{ name: 'a.txt', content: new Uint8Array(3_000) }]);
  const body = { order_id: order.orderId, sealed: inlined(form) };
  isProblem(await agent.submit(body), 409, 'upload_incomplete');
  await uploadFiles(agent, order, form);
  assert.equal((await agent.submit(body)).status, 201);
  isProblem(await put(order.orderId, 'Q'.repeat(22), '0'), 402, 'payment_required');
});
