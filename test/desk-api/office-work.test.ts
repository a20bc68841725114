/** What the desk does apart from cases: contact messages and numbers for all, agents and orders for owners. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { receiveContactMessage } from '#cases/intake/contact.ts';
import { createRegistration } from '#clients/registration.ts';
import { openContactMessage } from '#seal/case/contact-message.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import {
  DeskAgentSchema,
  type DeskAgents,
  DeskAgentsSchema,
  type DeskContact,
  DeskContactSchema,
  type DeskNumbers,
  DeskNumbersSchema,
  type DeskOrders,
  DeskOrdersSchema,
} from '#wire/desk-lists.ts';
import { buildDeskApp, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const office = await buildDeskApp(cleanUp, { ana: 'owner', ben: 'investigator' });
const ana = await signInAtDesk(office, office.keys.ana);
const ben = await signInAtDesk(office, office.keys.ben);

async function read<Shape>(desk: SignedInDesk, path: string, schema: TSchema): Promise<Shape> {
  const { status, json, text, headers } = await desk.send(path);
  assert.equal(status, 200, text);
  assert.equal(headers['cache-control'], 'no-store');
  assert.ok(Value.Check(schema, json), text);
  return json as unknown as Shape;
}

async function refuse(request: Promise<HttpsResponse>, expected: [number, string]): Promise<void> {
  const { status, json, text } = await request;
  assert.deepEqual([status, json['code']], expected, text);
}

const post = async (desk: SignedInDesk, path: string, body?: unknown) =>
  await desk.send(path, { method: 'POST', body });

test('contact messages come sealed, the oldest first, in pages, until they are handled', async () => {
  for (let sent = 0; sent < 51; sent += 1)
    await receiveContactMessage(office.services, {
      topic: 'question',
      message: `CANARY message ${sent}`,
      reply_to: '',
    });
  const first = await read<DeskContact>(ben, '/contact', DeskContactSchema);
  assert.equal(first.messages.length, 50);
  const opened = await openContactMessage(
    Buffer.from(first.messages[0]!.sealed, 'base64url'),
    office.keys.ben.identity,
  );
  assert.equal((opened as { message: string }).message, 'CANARY message 0');
  const second = await read<DeskContact>(ben, `/contact?after=${first.next}`, DeskContactSchema);
  assert.deepEqual([second.messages.length, second.next], [1, null]);
  const { id } = first.messages[0]!;
  assert.equal((await post(ben, `/contact/${id}/done`)).status, 204);
  await refuse(post(ana, `/contact/${id}/done`), [409, 'case_state']);
  await refuse(post(ana, '/contact/q1Zl7yBq3mJx0c2y8l4QxA/done'), [404, 'not_found']);
  await refuse(ben.send('/contact?after=x'), [422, 'validation_failed']);
  const left = await read<DeskContact>(ben, '/contact', DeskContactSchema);
  assert.ok(left.messages.every((message) => message.id !== id));
});

test('the numbers have counts and nothing else, and owners see more of them', async () => {
  await insertPlantedCase(office, { due_at: Date.now() - 1 });
  const numbers = await read<DeskNumbers>(ana, '/numbers', DeskNumbersSchema);
  assert.deepEqual([numbers.cases['received'], numbers.late, numbers.agents, numbers.orders], [1, 1, 0, 0]);
  const others = await read<DeskNumbers>(ben, '/numbers', DeskNumbersSchema);
  assert.deepEqual([others.agents, others.orders], [null, null]);
});

test('owners decide about agents, investigators do not see them', async () => {
  const { id } = await createRegistration(office.services, {
    name: 'An agent',
    contact: 'agent@example.org',
    identityType: 'email',
    credentials: 'bearer',
    redirectUris: [],
  });
  const { agents } = await read<DeskAgents>(ana, '/agents', DeskAgentsSchema);
  assert.deepEqual(
    agents.map(({ registration_id, state, contact }) => [registration_id, state, contact]),
    [[id, 'pending', 'agent@example.org']],
  );
  await refuse(ben.send('/agents'), [403, 'owner_only']);
  for (const body of [{ decision: 'approve' }, { decision: 'no such', more: 1 }, undefined])
    await refuse(post(ben, `/agents/${id}`, body), [403, 'owner_only']);
  await refuse(ben.send('/agents?after=x'), [403, 'owner_only']);
  for (const [body, expected] of [
    [{ decision: 'approve' }, [409, 'registration_state']],
    [{ decision: 'suspend' }, [409, 'registration_state']],
    [{ decision: 'delete' }, [422, 'validation_failed']],
    [{ decision: 'approve', scopes: ['case:read'] }, [422, 'validation_failed']],
    [{ decision: 'reject', scopes: [], grants: [] }, [422, 'validation_failed']],
    [{ decision: 'approve', scopes: ['desk'], grants: ['client_credentials'] }, [422, 'validation_failed']],
    [{ decision: 'approve', scopes: ['case:read'], grants: ['password'] }, [422, 'validation_failed']],
  ] as const)
    await refuse(post(ana, `/agents/${id}`, body), [...expected]);
  const decision = { decision: 'approve', scopes: ['pricing:read'], grants: ['client_credentials'] };
  const approved = await post(ana, `/agents/${id}`, decision);
  assert.ok(Value.Check(DeskAgentSchema, approved.json), approved.text);
  assert.deepEqual([approved.json['state'], approved.json['scopes']], ['approved', ['pricing:read']]);
  assert.equal((await post(ana, `/agents/${id}`, { decision: 'reject' })).json['state'], 'rejected');
  await refuse(post(ana, '/agents/q1Zl7yBq3mJx0c2y8l4QxA', { decision: 'reject' }), [404, 'not_found']);
});

test('owners see orders to review by their day, with the reason, and nothing that leads to a case', async () => {
  const created = Date.parse('2026-11-15T09:41:00Z');
  const order = createSampleOrder({ payment: 'quarantined', revision: 1, created_at: created });
  await office.store.transaction((records) => insertOrder(records, order));
  const { orders } = await read<DeskOrders>(ana, '/orders', DeskOrdersSchema);
  assert.deepEqual(
    orders.map(({ id, why, made_on: day }) => [id, why, day]),
    [[order.id, 'quarantined', '2026-11-15']],
  );
  assert.ok(!JSON.stringify(orders).includes('09:41'));
  await refuse(ben.send('/orders'), [403, 'owner_only']);
  await refuse(post(ben, `/orders/${order.id}/done`), [403, 'owner_only']);
  assert.equal((await post(ana, `/orders/${order.id}/done`)).status, 204);
  await refuse(post(ana, `/orders/${order.id}/done`), [404, 'not_found']);
  assert.deepEqual((await read<DeskOrders>(ana, '/orders', DeskOrdersSchema)).orders, []);
  const held = createSampleOrder({ payment: 'paid', revision: 1, on_hold: 1, check_at: Date.now() + 60_000 });
  await office.store.transaction((records) => insertOrder(records, held));
  const listed = await read<DeskOrders>(ana, '/orders', DeskOrdersSchema);
  assert.deepEqual(
    listed.orders.map(({ id, why }) => [id, why]),
    [[held.id, 'held']],
  );
  await refuse(post(ben, `/orders/${held.id}/release`), [403, 'owner_only']);
  await refuse(post(ana, `/orders/${order.id}/release`), [404, 'not_found']);
  await refuse(post(ana, `/orders/${held.id}/release`), [409, 'payment_held']);
  await office.store.records
    .updateTable('orders')
    .set({ check_at: null })
    .where('id', '=', held.id)
    .execute();
  assert.equal((await post(ana, `/orders/${held.id}/release`)).status, 204);
  assert.deepEqual((await read<DeskOrders>(ana, '/orders', DeskOrdersSchema)).orders, []);
});

test('orders to review come in pages, and no page tells the minute of an order', async () => {
  const created = Date.parse('2026-11-14T08:17:00Z');
  const held = { payment: 'paid', revision: 1, on_hold: 1, check_at: null } as const;
  const orders = Array.from({ length: 52 }, (_none, index) => {
    const facts = index % 2 === 0 ? held : ({ payment: 'disputed', revision: 1 } as const);
    return createSampleOrder({ ...facts, created_at: created + Math.floor(index / 3) });
  });
  await office.store.transaction(async (records) => {
    for (const order of orders) await insertOrder(records, order);
  });
  const first = await read<DeskOrders>(ana, '/orders', DeskOrdersSchema);
  const second = await read<DeskOrders>(ana, `/orders?after=${first.next}`, DeskOrdersSchema);
  assert.deepEqual([first.orders.length, second.orders.length, second.next], [50, 2, null]);
  assert.deepEqual(
    [...first.orders, ...second.orders].map(({ id }) => id).toSorted(),
    orders.map(({ id }) => id).toSorted(),
  );
  assert.ok(!JSON.stringify(first).includes(String(created).slice(0, -3)));
  for (const wrong of ['x', 'q1Zl7yBq3mJx0c2y8l4QxA', `${created}.${orders[0]!.id}`])
    await refuse(ana.send(`/orders?after=${wrong}`), [422, 'validation_failed']);
  await refuse(ben.send('/orders?after=x'), [403, 'owner_only']);
  assert.equal((await read<DeskNumbers>(ana, '/numbers', DeskNumbersSchema)).orders, 52);
});
