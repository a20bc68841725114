/** Writes orders as fast as possible and prints each id once it is stored; tests kill it. */
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { openStore } from '#store/store.ts';
import { silentLog } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';

const store = await openStore({ config: readConfig(process.env), clock: systemClock, log: silentLog });

async function writeOrders(): Promise<never> {
  for (;;) {
    const order = createSampleOrder();
    await store.transaction((records) => insertOrder(records, order));
    process.stdout.write(`${order.id}\n`);
    // Lets the writers take turns, as requests do.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all(Array.from({ length: 8 }, writeOrders));
