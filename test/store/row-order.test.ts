/** PostgreSQL copies rows in the order of their last change; sorting them hides it without blocking other writers. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import { claimIdempotencyKey } from '#store/idempotent-request.ts';
import { findOrder, insertOrder, redeemOrder } from '#store/orders/orders.ts';
import type { Records } from '#store/schema/tables.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, openTestStore } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';

const cleanUp = withReverseCleanup({ after });
const engine = await openPostgresEngine(cleanUp);

async function listAsCopied(records: Records, table: 'orders' | 'idempotency'): Promise<string[]> {
  const key = sql.ref(table === 'orders' ? 'id' : 'key_tag');
  const { rows } = await sql<{ key: string }>`select ${key} as key from ${sql.table(table)}`.execute(records);
  return rows.map((row) => row.key);
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key);
}

async function insertPaidOrders(records: Records, count: number): Promise<string[]> {
  const orders = Array.from({ length: count }, () => createSampleOrder({ owner: 'me', payment: 'paid' }));
  for (const order of orders) {
    await insertOrder(records, order);
    await claimIdempotencyKey(records, { keyTag: `key of ${order.id}`, bodyTag: 'body' }, order.id, 0);
  }
  return orders.map(({ id }) => id);
}

test('orders and keys are copied in the order of their keys, once they are sorted', async (t) => {
  const { records, hideRowOrder } = await openTestStore(t, await engine.createDatabase(cleanUp));
  for (const id of await insertPaidOrders(records, 40))
    await redeemOrder(records, { sessionTag: null, id, owner: 'me', livemode: 0 });
  for (const table of ['orders', 'idempotency'] as const)
    assert.ok(!isSorted(await listAsCopied(records, table)), table);
  await hideRowOrder();
  for (const table of ['orders', 'idempotency'] as const)
    assert.ok(isSorted(await listAsCopied(records, table)), table);
});

test('what is sorted is not rewritten', async (t) => {
  const { records, hideRowOrder } = await openTestStore(t, await engine.createDatabase(cleanUp));
  await insertPaidOrders(records, 10);
  await hideRowOrder();
  const findFile = async () => {
    const { rows } = await sql<{ file: string }>`select pg_relation_filepath('orders') as file`.execute(
      records,
    );
    return rows[0]?.file;
  };
  const file = await findFile();
  await hideRowOrder();
  assert.equal(await findFile(), file);
});

test('sorting loses no order that is written or used meanwhile', async (t) => {
  const { records, hideRowOrder, transaction } = await openTestStore(t, await engine.createDatabase(cleanUp));
  const paid = await insertPaidOrders(records, 40);
  const [uses] = await Promise.all([
    Promise.all(
      paid.flatMap((id) => [
        transaction((inside) => redeemOrder(inside, { sessionTag: null, id, owner: 'me', livemode: 0 })),
        transaction((inside) => redeemOrder(inside, { sessionTag: null, id, owner: 'me', livemode: 0 })),
      ]),
    ),
    (async () => {
      for (let round = 0; round < 5; round += 1) await hideRowOrder();
    })(),
  ]);
  assert.equal(uses.filter((used) => used !== undefined).length, 40);
  for (const id of paid) assert.equal((await findOrder(records, id))?.redeemed, 1);
});

test('a reader that takes long, such as a dump, is not waited for', async (t) => {
  const { records, hideRowOrder } = await openTestStore(t, await engine.createDatabase(cleanUp));
  await insertPaidOrders(records, 10);
  const before = await listAsCopied(records, 'orders');
  await records.transaction().execute(async (dump) => {
    await findOrder(dump, before[0] ?? '');
    await hideRowOrder();
    await insertPaidOrders(records, 1);
  });
  assert.deepEqual((await listAsCopied(records, 'orders')).slice(0, 10), before);
  await hideRowOrder();
  assert.ok(isSorted(await listAsCopied(records, 'orders')));
});
