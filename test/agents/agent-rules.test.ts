/** Rules of the agent that need no service: which address it follows, what it prints, and what it has stored. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { OrderList } from '#api/orders.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { toPrintable } from '../../agent/printed-text.ts';
import { isPaid, requireOrderPath } from '../../agent/purchase.ts';
import { AgentState } from '../../agent/state.ts';

test('the agent follows the address of its own order, and no other', () => {
  const api = 'https://office.example/api';
  assert.equal(
    requireOrderPath(api, `${api}/orders/q1Zl7yBq3mJx0c2y8l4QxA`),
    '/orders/q1Zl7yBq3mJx0c2y8l4QxA',
  );
  for (const location of [
    null,
    '',
    '/api/orders/q1Zl7yBq3mJx0c2y8l4QxA',
    'https://evil.example/api/orders/q1Zl7yBq3mJx0c2y8l4QxA',
    'https://office.example/api.evil/orders/q1Zl7yBq3mJx0c2y8l4QxA',
    `${api}/orders/../cases`,
    `${api}/orders/q1Zl7yBq3mJx0c2y8l4QxA?x=1`,
    `${api}/cases/q1Zl7yBq3mJx0c2y8l4QxA`,
  ])
    assert.throws(() => requireOrderPath(api, location), /does not say where its order is/, String(location));
});

test('of every status of an order the agent knows what to do, and nobody is told to pay for what is paid', () => {
  const outcomes: Readonly<Record<string, boolean | RegExp>> = {
    paid: true,
    pending: false,
    held: /Somebody checks this payment.*Do not pay again/,
    redeemed: /has opened a case\. Do not pay again/,
    refunded: /was given back.*Ask whoever paid/,
    expired: /Nobody paid.*Run this again for a new one/,
  };
  const { enum: statuses } = OrderList.properties.orders.items.properties.status;
  assert.deepEqual(Object.keys(outcomes).toSorted(), statuses.toSorted());
  const unknown = ['disputed', /Do not pay again before you know/] as const;
  for (const [status, outcome] of [...Object.entries(outcomes), unknown]) {
    const checkOrder = () => isPaid({ id: 'q1Zl7yBq3mJx0c2y8l4QxA', status });
    if (typeof outcome === 'boolean') assert.equal(checkOrder(), outcome, status);
    else assert.throws(checkOrder, outcome, status);
    if (outcome instanceof RegExp)
      assert.throws(checkOrder, ({ message }) => !/buy again/.test(message), status);
  }
});

test('nothing that a service says steers the terminal', () => {
  assert.equal(
    toPrintable('a\u001b[2J\u0007b\u009b31m\r\u007f\tc\nd ñ 🕊'),
    'a\uFFFD[2J\uFFFDb\uFFFD31m\uFFFD\uFFFD\tc\nd ñ 🕊',
  );
});

test('what the agent must not lose is in one private file, and an earlier fact stays', async (t) => {
  const folder = await createTemporaryFolder(t);
  const file = join(folder, 'agent.json');
  new AgentState(file).store({ words: 'legal winner' });
  new AgentState(file).store({ orderId: 'q1Zl7yBq3mJx0c2y8l4QxA' });
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
    words: 'legal winner',
    orderId: 'q1Zl7yBq3mJx0c2y8l4QxA',
  });
  assert.deepEqual(await readdir(folder), ['agent.json']);
});
