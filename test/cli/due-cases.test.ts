/** For cron: whether cases are due or late by exit code; and the orders that need review. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { HOUR_MS } from '#platform/durations.ts';
import { findOrder, insertOrder, updateOrderPayment } from '#store/orders/orders.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openTestStore, sqliteUnderTest } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { createDeskCli } from './desk-cli.ts';

const cleanUp = withReverseCleanup({ after });
const database = await sqliteUnderTest.createDatabase(cleanUp);
const store = await openTestStore(cleanUp, database);
const desk = createDeskCli({ dataDir: database.env['DATA_DIR'] ?? '' });

test('cases due says in one line and by its exit code whether a case is due or late', async () => {
  const readDue = async (...args: string[]) => {
    const { code, stdout, stderr } = await desk.run('cases', 'due', ...args);
    return [code, stdout.trimEnd(), stderr];
  };
  const seedDue = (ms: number, state: 'received' | 'delivered') =>
    seedCase(store, { state, due_at: Date.now() + ms, purge_at: null });
  await seedDue(-HOUR_MS, 'delivered');
  await seedDue(20 * HOUR_MS, 'received');
  assert.deepEqual(await readDue(), [0, 'Late: 0. Due within 12 hours: 0.', '']);
  assert.deepEqual(await readDue('--within', '24'), [1, 'Late: 0. Due within 24 hours: 1.', '']);
  await seedDue(-HOUR_MS, 'received');
  assert.deepEqual(await readDue('--within', '24'), [2, 'Late: 1. Due within 24 hours: 1.', '']);
  assert.deepEqual(await readDue('--json'), [2, '{"late":1,"due":0,"within_hours":12}', '']);
  for (const wrong of ['0', 'soon'])
    assert.match(await desk.runRefused(64, 'cases', 'due', `--within=${wrong}`), /from 1 to 1000/);
});

test('orders that need review are listed by their day until they are marked as done or change', async () => {
  const { records } = store;
  const day = 20_000 * 24 * HOUR_MS;
  const [bad, disputed] = [
    createSampleOrder({ payment: 'quarantined', created_at: day }),
    createSampleOrder({ payment: 'disputed', created_at: day }),
  ];
  const held = createSampleOrder({ payment: 'paid', on_hold: 1 });
  for (const order of [bad, disputed, held, createSampleOrder({ payment: 'paid' })])
    await insertOrder(records, order);
  const listIds = async () => {
    const { orders } = await desk.runForJson<{ orders: { id: string; why: string }[] }>('orders', 'list');
    return new Map(orders.map(({ id, why }) => [id, why]));
  };
  assert.deepEqual(
    await listIds(),
    new Map([
      [held.id, 'held'],
      ...[bad, disputed]
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .map(({ id, payment }): [string, string] => [id, payment]),
    ]),
  );
  assert.match(await desk.runForText('orders', 'list'), /^[\w-]{22} {2}Trace {2}quarantined {2}2024-10-04$/m);
  assert.match(await desk.runRefused(1, 'orders', 'done', bad.id, held.id), /nothing was changed/);
  assert.equal(await desk.runForText('orders', 'done', bad.id, disputed.id), 'Done: 2 orders.\n');
  assert.deepEqual([...(await listIds()).keys()], [held.id]);
  assert.match(await desk.runRefused(1, 'orders', 'done', bad.id), /nothing was changed/);

  await updateOrderPayment(records, disputed, { to: 'paid', checkAt: null });
  const again = await findOrder(records, disputed.id);
  await updateOrderPayment(records, again!, { to: 'disputed', checkAt: null });
  assert.deepEqual([...(await listIds()).keys()], [held.id, disputed.id]);
});
