/** What the desk does apart from cases: contact messages and numbers for all, agents and orders for owners. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { TSchema } from 'typebox';
import { receiveContactMessage } from '#cases/intake/contact.ts';
import { createRegistration } from '#clients/registration.ts';
import { openContactMessage } from '#seal/case/contact-message.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import {
  DeskAgentSchema,
  DeskAgentsSchema,
  DeskContactSchema,
  DeskNumbersSchema,
  DeskOrdersSchema,
} from '#wire/desk-lists.ts';
import { SAMPLE_REGISTRATION } from './changed-team.ts';
import { assertRefused, buildDeskApp, requireFit, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const ON_HOLD = { payment: 'paid', revision: 1, on_hold: 1 } as const;
const QUESTION = { topic: 'question', reply_to: '' } as const;
const office = await buildDeskApp(cleanUp, { ana: 'owner', ben: 'investigator' });
const ana = await signInAtDesk(office, office.keys.ana);
const ben = await signInAtDesk(office, office.keys.ben);

const read = <Schema extends TSchema>(desk: SignedInDesk, path: string, schema: Schema) =>
  requireFit(desk.send(path), schema);

const readOrders = () => read(ana, '/orders', DeskOrdersSchema);

const post = async (desk: SignedInDesk, path: string, body?: unknown) =>
  await desk.send(path, { method: 'POST', body });

test('contact messages come sealed, the oldest first, in pages, until they are handled', async () => {
  for (let sent = 0; sent < 51; sent += 1)
    await receiveContactMessage(office.services, { ...QUESTION, message: `CANARY message ${sent}` });
  const first = await read(ben, '/contact', DeskContactSchema);
  assert.equal(first.messages.length, 50);
  const sealed = Buffer.from(first.messages[0]!.sealed, 'base64url');
  const opened = await openContactMessage(sealed, office.keys.ben.identity);
  assert.equal((opened as { message: string }).message, 'CANARY message 0');
  const second = await read(ben, `/contact?after=${first.next}`, DeskContactSchema);
  assert.deepEqual([second.messages.length, second.next], [1, null]);
  const { id } = first.messages[0]!;
  assert.equal((await post(ben, `/contact/${id}/done`)).status, 204);
  await assertRefused(post(ana, `/contact/${id}/done`), [409, 'case_state']);
  await assertRefused(post(ana, '/contact/q1Zl7yBq3mJx0c2y8l4QxA/done'), [404, 'not_found']);
  await assertRefused(ben.send('/contact?after=x'), [422, 'validation_failed']);
  const left = await read(ben, '/contact', DeskContactSchema);
  assert.ok(left.messages.every((message) => message.id !== id));
});

test('the numbers have counts and nothing else, and owners see more of them', async () => {
  await insertPlantedCase(office, { due_at: Date.now() - 1 });
  const numbers = await read(ana, '/numbers', DeskNumbersSchema);
  assert.deepEqual([numbers.cases['received'], numbers.late, numbers.agents, numbers.orders], [1, 1, 0, 0]);
  const others = await read(ben, '/numbers', DeskNumbersSchema);
  assert.deepEqual([others.agents, others.orders], [null, null]);
});

test('owners decide about agents, investigators do not see them', async () => {
  const { id } = await createRegistration(office.services, SAMPLE_REGISTRATION);
  const { agents } = await read(ana, '/agents', DeskAgentsSchema);
  assert.deepEqual(
    agents.map(({ registration_id, state, contact }) => [registration_id, state, contact]),
    [[id, 'pending', 'agent@example.org']],
  );
  await assertRefused(ben.send('/agents'), [403, 'owner_only']);
  for (const body of [{ decision: 'approve' }, { decision: 'no such', more: 1 }, undefined])
    await assertRefused(post(ben, `/agents/${id}`, body), [403, 'owner_only']);
  await assertRefused(ben.send('/agents?after=x'), [403, 'owner_only']);
  for (const [body, expected] of [
    [{ decision: 'approve' }, [409, 'registration_state']],
    [{ decision: 'suspend' }, [409, 'registration_state']],
    [{ decision: 'delete' }, [422, 'validation_failed']],
    [{ decision: 'approve', scopes: ['case:read'] }, [422, 'validation_failed']],
    [{ decision: 'reject', scopes: [], grants: [] }, [422, 'validation_failed']],
    [{ decision: 'approve', scopes: ['desk'], grants: ['client_credentials'] }, [422, 'validation_failed']],
    [{ decision: 'approve', scopes: ['case:read'], grants: ['password'] }, [422, 'validation_failed']],
  ] as const)
    await assertRefused(post(ana, `/agents/${id}`, body), [...expected]);
  const decision = { decision: 'approve', scopes: ['pricing:read'], grants: ['client_credentials'] };
  const approved = await requireFit(post(ana, `/agents/${id}`, decision), DeskAgentSchema);
  assert.deepEqual([approved.state, approved.scopes], ['approved', ['pricing:read']]);
  assert.equal((await post(ana, `/agents/${id}`, { decision: 'reject' })).json['state'], 'rejected');
  await assertRefused(post(ana, '/agents/q1Zl7yBq3mJx0c2y8l4QxA', { decision: 'reject' }), [
    404,
    'not_found',
  ]);
});

test('owners see orders to review by their day, with the reason, and nothing that leads to a case', async () => {
  const created = Date.parse('2026-11-15T09:41:00Z');
  const order = createSampleOrder({ payment: 'quarantined', revision: 1, created_at: created });
  await office.store.transaction((records) => insertOrder(records, order));
  const { orders } = await readOrders();
  assert.deepEqual(
    orders.map(({ id, why, made_on: day }) => [id, why, day]),
    [[order.id, 'quarantined', '2026-11-15']],
  );
  assert.ok(!JSON.stringify(orders).includes('09:41'));
  await assertRefused(ben.send('/orders'), [403, 'owner_only']);
  await assertRefused(post(ben, `/orders/${order.id}/done`), [403, 'owner_only']);
  assert.equal((await post(ana, `/orders/${order.id}/done`)).status, 204);
  await assertRefused(post(ana, `/orders/${order.id}/done`), [404, 'not_found']);
  assert.deepEqual((await readOrders()).orders, []);
  const held = createSampleOrder({ ...ON_HOLD, check_at: Date.now() + 60_000 });
  await office.store.transaction((records) => insertOrder(records, held));
  const [listed, ...others] = (await readOrders()).orders;
  assert.deepEqual([listed?.id, listed?.why, others], [held.id, 'held', []]);
  await assertRefused(post(ben, `/orders/${held.id}/release`), [403, 'owner_only']);
  await assertRefused(post(ana, `/orders/${order.id}/release`), [404, 'not_found']);
  await assertRefused(post(ana, `/orders/${held.id}/release`), [409, 'payment_held']);
  const { records } = office.store;
  await records.updateTable('orders').set({ check_at: null }).where('id', '=', held.id).execute();
  assert.equal((await post(ana, `/orders/${held.id}/release`)).status, 204);
  assert.deepEqual((await readOrders()).orders, []);
});

test('orders to review come in pages, and no page tells the minute of an order', async () => {
  const created = Date.parse('2026-11-14T08:17:00Z');
  const held = { ...ON_HOLD, check_at: null };
  const orders = Array.from({ length: 52 }, (_none, index) => {
    const facts = index % 2 === 0 ? held : ({ payment: 'disputed', revision: 1 } as const);
    return createSampleOrder({ ...facts, created_at: created + Math.floor(index / 3) });
  });
  await office.store.transaction(async (records) => {
    for (const order of orders) await insertOrder(records, order);
  });
  const first = await readOrders();
  const second = await read(ana, `/orders?after=${first.next}`, DeskOrdersSchema);
  assert.deepEqual([first.orders.length, second.orders.length, second.next], [50, 2, null]);
  assert.deepEqual(
    [...first.orders, ...second.orders].map(({ id }) => id).toSorted(),
    orders.map(({ id }) => id).toSorted(),
  );
  assert.ok(!JSON.stringify(first).includes(String(created).slice(0, -3)));
  for (const wrong of ['x', 'q1Zl7yBq3mJx0c2y8l4QxA', `${created}.${orders[0]!.id}`])
    await assertRefused(ana.send(`/orders?after=${wrong}`), [422, 'validation_failed']);
  await assertRefused(ben.send('/orders?after=x'), [403, 'owner_only']);
  assert.equal((await read(ana, '/numbers', DeskNumbersSchema)).orders, 52);
});
