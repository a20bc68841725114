/** Deletes old orders: unpaid ones soon, settled ones when the accounts no longer need them. */

import { DAY_MS } from '#platform/durations.ts';
import { UNPAID_ORDER_DAYS } from '#platform/expiry.ts';
import { cutToDay } from '#platform/text/day.ts';
import type { Services } from '#services.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { deleteSettledOrders, deleteUnpaidOrders } from '#store/orders/orders.ts';

/** Counts whole days, because a settled order has no finer time. */
export async function deleteOldOrders(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  keepDays: number,
): Promise<void> {
  const today = cutToDay(clock.now());
  await runInBatches(store, (records, limit) =>
    deleteUnpaidOrders(records, today - UNPAID_ORDER_DAYS * DAY_MS, limit),
  );
  await runInBatches(store, (records, limit) =>
    deleteSettledOrders(records, today - keepDays * DAY_MS, limit),
  );
}
