/** A settled order retains only its day, on both engines and after an upgrade, and is deleted in time. */

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deleteOldOrders } from '#payments/sweep.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { claimIdempotencyKey, findEarlierRecordId } from '#store/idempotent-request.ts';
import {
  findOrder,
  insertOrder,
  type Order,
  recordProviderEvent,
  redeemOrder,
  updateOrderPayment,
} from '#store/orders/orders.ts';
import { PAYMENT_STATES } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';

const cleanUp = withReverseCleanup({ after });
const DAY = 20_000 * DAY_MS;
/** An order in the last hour of its day, so that its session ends on the next day. */
const late = { created_at: DAY + 23.5 * HOUR_MS + 1, expires_at: DAY + 24.5 * HOUR_MS + 1 };
const OPEN = ['pending', 'processing', 'paid'];

for (const engine of await listEngines(cleanUp)) {
  const openFreshStore = async (t: Parameters<typeof openTestStore>[0]) =>
    await openTestStore(t, await engine.createDatabase(cleanUp));

  test(`an order is cut to its day when it is settled, and not before, on ${engine.name}`, async (t) => {
    const { records } = await openFreshStore(t);
    for (const to of PAYMENT_STATES) {
      const order = await insertSample(records, late);
      await updateOrderPayment(records, order, { to, checkAt: null });
      assert.deepEqual(
        await readTimes(records, order),
        OPEN.includes(to) ? [late.created_at, late.expires_at] : [DAY, DAY],
        to,
      );
    }
  });

  test(`an order is cut to its day when it is used, by session or by owner, and stays so, on ${engine.name}`, async (t) => {
    const { records } = await openFreshStore(t);
    const paid = { ...late, payment: 'paid', owner: 'me' } as const;
    const [first, second] = [
      await insertSample(records, { ...paid, session_tag: 'a session' }),
      await insertSample(records, paid),
    ];
    const bySession = { sessionTag: 'a session', id: null, owner: null, livemode: 0 } as const;
    assert.ok(await redeemOrder(records, bySession));
    assert.ok(await redeemOrder(records, { ...bySession, sessionTag: null, id: second.id, owner: 'me' }));
    for (const order of [first, second]) {
      assert.deepEqual(await readTimes(records, order), [DAY, DAY]);
      // A dispute of the order is opened and won.
      await updateOrderPayment(records, order, { to: 'disputed', checkAt: null });
      await updateOrderPayment(records, { ...order, revision: 1 }, { to: 'paid', checkAt: null });
      assert.deepEqual(await readTimes(records, order), [DAY, DAY]);
    }
  });

  test(`orders that can no longer be paid go after 30 days, settled ones after the days of the accounts, on ${engine.name}`, async (t) => {
    const store = await openFreshStore(t);
    const { records } = store;
    const orders = new Map<string, Order>();
    for (const payment of PAYMENT_STATES) {
      const times = OPEN.includes(payment) ? late : { created_at: DAY, expires_at: DAY };
      orders.set(payment, await insertSample(records, { ...times, payment }));
    }
    const used = { created_at: DAY, expires_at: DAY, payment: 'paid', redeemed: 1 } as const;
    orders.set('used', await insertSample(records, used));
    const listLeftAfter = async (days: number) => {
      const now = DAY + days * DAY_MS + 12 * HOUR_MS;
      await deleteOldOrders({ store, clock: { now: () => now } }, 365);
      const found = await Promise.all(
        [...orders].map(async ([name, { id }]) => [name, await findOrder(records, id)]),
      );
      return found.filter(([, order]) => order !== undefined).map(([name]) => name);
    };
    assert.deepEqual(await listLeftAfter(30), [...orders.keys()]);
    const open = ['pending', 'processing', 'paid'];
    const left = [...open, 'refunded', 'disputed', 'charged_back', 'quarantined', 'used'];
    assert.deepEqual(await listLeftAfter(31), left);
    assert.deepEqual(await listLeftAfter(365), left);
    assert.deepEqual(await listLeftAfter(366), open);
    assert.deepEqual(await listLeftAfter(9_000), open, 'what is, or may be, paid and unused is still owed');
  });

  test(`the ledger keeps days, and for thirty of them, on ${engine.name}`, async (t) => {
    const { records } = await openFreshStore(t);
    const listDays = async () =>
      (await records.selectFrom('provider_events').select('seen_at').execute()).map(({ seen_at }) => seen_at);
    await recordProviderEvent(records, 'tag', late.created_at);
    await recordProviderEvent(records, 'tag', late.created_at + DAY_MS);
    assert.deepEqual(await listDays(), [DAY]);
    await deleteExpiredRows(records, 'provider events', late.created_at + 30 * DAY_MS, 10);
    assert.deepEqual(await listDays(), [DAY]);
    await deleteExpiredRows(records, 'provider events', late.created_at + 31 * DAY_MS, 10);
    assert.deepEqual(await listDays(), []);
  });

  test(`an Idempotency-Key keeps its day, and counts for 24 hours from any minute of it, on ${engine.name}`, async (t) => {
    const { records } = await openFreshStore(t);
    for (const hour of [0, 12, 23.999]) {
      const now = DAY + hour * HOUR_MS;
      const request = { keyTag: `key at ${hour}`, bodyTag: 'body', others: [] };
      assert.equal(await claimIdempotencyKey(records, request, 'first', now), null);
      const row = await records
        .selectFrom('idempotency')
        .select('created_at')
        .where('key_tag', '=', request.keyTag)
        .executeTakeFirst();
      assert.equal(row?.created_at, DAY);
      await deleteExpiredRows(records, 'idempotency keys', now + DAY_MS - 1, 10);
      assert.equal(await findEarlierRecordId(records, request, now + DAY_MS - 1), 'first');
      assert.equal(await claimIdempotencyKey(records, request, 'second', now + DAY_MS - 1), 'first');
      assert.equal(await findEarlierRecordId(records, request, DAY + 2 * DAY_MS), null);
      assert.equal(await claimIdempotencyKey(records, request, 'third', DAY + 2 * DAY_MS), null);
    }
  });
}

async function insertSample(records: Records, changes: Partial<Order>): Promise<Order & { owner: string }> {
  const order = createSampleOrder({ owner: 'me', ...changes });
  await insertOrder(records, order);
  return { ...order, owner: order.owner ?? '' };
}

async function readTimes(records: Records, { id }: Pick<Order, 'id'>): Promise<(number | undefined)[]> {
  const order = await findOrder(records, id);
  return [order?.created_at, order?.expires_at];
}
