/** One copy of the records does not reveal which payment belongs to which case of the same day. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { withReverseCleanup } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import { listEngines } from '#test/store/engines.ts';
import { collectTraces, copyRecords, joinByOrder, joinByValue } from './join-attack.ts';
import { openSimulatedShop, runOneDay } from './simulated-day.ts';

const SALES = isLongRun ? 120 : 60;
/** By chance one sale of each tier, with and without a key, is joined correctly: six, however many sales there are. */
const MOST_BY_CHANCE = 24;

const cleanUp = withReverseCleanup({ after });

for (const engine of await listEngines(cleanUp))
  test(`a copy of one day’s records joins payments and cases by chance alone, on ${engine.name}`, async (t) => {
    const place = await engine.createDatabase(cleanUp);
    const shop = await openSimulatedShop(t, place.env);
    const { store } = shop.services;
    const sales = await runOneDay(shop, SALES);
    await store.hideRowOrder();
    const copy = await copyRecords(store, shop.readLog());
    const getTier = (row: Readonly<Record<string, unknown>>) => String(row['tier']);
    const [orders, cases] = [collectTraces(copy, 'orders', getTier), collectTraces(copy, 'cases', getTier)];
    assert.deepEqual([orders.length, cases.length], [SALES, SALES]);
    const caseIds = new Map(sales.map(({ orderId, caseId }) => [orderId, caseId]));
    const isSale = (orderId: string, caseId: string) => caseIds.get(orderId) === caseId;

    const [best] = joinByOrder(orders, cases, isSale);
    assert.ok(best && best.correct <= MOST_BY_CHANCE, `${best?.correct} of ${SALES} by ${best?.by}`);
    assert.deepEqual(
      joinByValue(orders, cases).filter(([orderId, caseId]) => isSale(orderId, caseId)),
      [],
    );
    const text = JSON.stringify([...copy]);
    for (const { eventId, sessionId } of sales)
      for (const secret of [eventId, sessionId]) assert.ok(!text.includes(secret), 'an id of the provider');
  });
