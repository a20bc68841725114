/** The pages for owners over an office in memory: what they explain, what they send, and who sees a sentence instead. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk-program/work/desk-work.ts';
import { assertFormTokens, createPageVisitor, readPage, readRedirect } from './asked-pages.ts';
import { createMadeUpOffice } from './made-up-office.ts';
import { createOrder } from './made-up-owner.ts';

function createOwnerDesk(role: 'owner' | 'investigator' = 'owner') {
  const made = createMadeUpOffice();
  const [own, ...others] = made.session!.people;
  const office = Object.assign(made, {
    session: { ...made.session!, people: [{ ...own!, role }, ...others] },
  });
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  return { office, desk, ask: createPageVisitor(desk) };
}

test('each state of an order is explained in words of the desk, and none leads to a case', async () => {
  const { office, desk, ask } = createOwnerDesk();
  assert.match(readPage(await ask('GET', '/orders')).html, /No order needs a hand/);
  assert.equal(desk.describeFrame().counts.orders, undefined);
  for (const why of ['quarantined', 'disputed', 'held', '__proto__', 'toString'])
    office.orders.push(createOrder(why));
  const { html, title } = readPage(await ask('GET', '/orders'));
  assert.match(html, /1 payment is not what was sold/);
  assert.match(html, /1 payment is disputed/);
  assert.match(html, /1 order is held by a restore/);
  assert.match(html, /2 orders are in a state that this desk does not know/);
  assert.match(html, /client reference of the payment/);
  assert.doesNotMatch(html, /evil\.example|\/cases\//);
  assert.equal(title, 'Desk: orders');
  assert.equal(desk.describeFrame().counts.orders, 5);
  assertFormTokens(html, '/orders');
});

test('an order is marked as done, and released only by somebody who is sure', async () => {
  const { office, ask } = createOwnerDesk();
  const [wrong, held] = [createOrder('quarantined'), createOrder('held')];
  office.orders.push(wrong, held);
  assert.equal(readRedirect(await ask('POST', `/orders/${wrong.id}/done`)), '/orders');
  assert.match(readPage(await ask('GET', '/orders')).html, /listed again if its payment changes/);
  const unsure = readPage(await ask('POST', `/orders/${held.id}/release`));
  assert.equal(unsure.status, 409);
  assert.match(unsure.html, /so it stays held/);
  assert.deepEqual(office.sent, [['done', wrong.id]]);
  await ask('POST', `/orders/${held.id}/release`, { sure: 'yes' });
  assert.deepEqual(office.sent.at(-1), ['release', held.id]);
  const again = readPage(await ask('POST', `/orders/${held.id}/release`, { sure: 'yes' }));
  assert.deepEqual([again.status, again.html.includes('The office does not have this')], [409, true]);
});

test('an investigator sees a sentence instead of orders, and nothing is asked', async () => {
  const { office, ask } = createOwnerDesk('investigator');
  office.orders.push(createOrder('quarantined'));
  office.listOrders = () => assert.fail('the office was asked');
  const { html } = readPage(await ask('GET', '/orders'));
  assert.match(html, /This is for owners/);
  assert.doesNotMatch(html, /<form|quarantined/);
});
