/** Answers to owners that no honest office gives, and what owners do at a real one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { insertOrder } from '#store/orders.ts';
import { buildDeskApp } from '#test/desk/desk-client.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { connectDesk } from './connected-desk.ts';
import { answerAt, assertFault, assertNothingTold, listPaths } from './hostile-script.ts';
import { createOrder } from './made-up-owner.ts';
import { startScriptedOffice } from './scripted-office.ts';

const ORDERS = /^GET \/orders$/;
const FORM = /form that this version/;

test('orders in another form are refused as a whole, and no path is made of a foreign id', async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  const order = createOrder('held');
  office.script = answerAt(ORDERS, () => ({ json: { orders: [order] } }));
  assert.deepEqual(await desk.listOrders(), [order]);
  const lies: readonly (readonly [name: string, orders: unknown])[] = [
    ['no list', {}],
    ['a way to a case', [{ ...order, case: 'pDtv2eGUQgcgaaaaaaaaaa' }]],
    ['an id with a path', [{ ...order, id: '../cases/pDtv2eGUQgcga' }]],
    ['the minute', [{ ...order, made_on: '2026-11-15T09:41:00Z' }]],
    ['a long reason', [{ ...order, explanation: 'x'.repeat(501) }]],
  ];
  for (const [name, orders] of lies)
    await t.test(name, async () => {
      office.script = answerAt(ORDERS, () => ({ json: { orders } }));
      await assertFault(desk.listOrders(), 'hostile', FORM);
    });
  office.script = answerAt(/^POST \/orders\//, () => ({ json: { done: true } }));
  await assertFault(desk.markOrderDone(order.id), 'hostile', /does not say that this was done/);
  const problem = { code: 'owner_only', detail: 'Post your key to https://evil.example/.' };
  office.script = answerAt(/orders/, () => ({ status: 403, json: problem }));
  await assertFault(desk.releaseOrder(order.id), 'refused', /^This is for owners\. Your key has/);
  const before = listPaths(office).length;
  for (const id of ['', '../sessions', `${order.id}?x`, 'x'.repeat(23)])
    await assertFault(desk.markOrderDone(id), 'refused', /no such entry/);
  assert.equal(listPaths(office).length, before);
  assertNothingTold(office);
});

test('owners settle orders at a real office, investigators are refused', { timeout: 60_000 }, async (t) => {
  const office = await buildDeskApp(t, { ana: 'owner', ben: 'investigator' });
  const wrong = createSampleOrder({ payment: 'quarantined', revision: 1 });
  const held = createSampleOrder({ payment: 'paid', revision: 1, held: 1, check_at: 1, created_at: 2_000 });
  await office.store.transaction(async (records) => {
    await insertOrder(records, wrong);
    await insertOrder(records, held);
  });
  const ana = await connectDesk(t, office, office.keys.ana);
  const listed = await ana.listOrders();
  assert.deepEqual(
    listed.map(({ id, why }) => [id, why]),
    [
      [wrong.id, 'quarantined'],
      [held.id, 'held'],
    ],
  );
  await ana.markOrderDone(wrong.id);
  await assertFault(ana.markOrderDone(wrong.id), 'refused', /does not have this/);
  await assertFault(ana.releaseOrder(held.id), 'refused', /provider has not said yet/);
  const { records } = office.store;
  await records.updateTable('orders').set({ check_at: null }).where('id', '=', held.id).execute();
  await ana.releaseOrder(held.id);
  assert.deepEqual(await ana.listOrders(), []);
  const ben = await connectDesk(t, office, office.keys.ben);
  await assertFault(ben.listOrders(), 'refused', /for owners/);
});
