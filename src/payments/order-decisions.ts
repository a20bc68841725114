/** Decisions about orders that need review, each with its entry in the audit log. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { BATCH_ROWS } from '#store/engine/batches.ts';
import { findOrder } from '#store/orders/orders.ts';
import { isUnchecked, releaseOrderOnHold } from '#store/orders/orders-on-hold.ts';
import { markOrderReviewed } from '#store/orders/orders-to-review.ts';

type OrderServices = Pick<Services, 'clock' | 'store'>;

/** Marks quarantined or disputed orders as reviewed, all or none. */
export async function markOrdersReviewed(
  { clock, store }: OrderServices,
  ids: readonly string[],
  by: string | null,
): Promise<void> {
  await store.transaction(async (records) => {
    for (const id of ids) {
      if (!(await markOrderReviewed(records, id)))
        throw new ServiceError('not_found', {
          detail: `${id}: no quarantined or disputed order with this id is waiting; nothing was changed`,
        });
      await appendAuditEntry(
        records,
        { by, act: 'attend_order', subject: { kind: 'order', id } },
        clock.now(),
      );
    }
  });
}

interface OrderRelease {
  readonly by: string | null;
  /** Also releases orders that have not been checked with the provider since the restore, or whose payment is open. */
  readonly unchecked: boolean;
}

export interface ReleasedOrders {
  readonly released: readonly string[];
  /** How many orders must be checked with the provider first. */
  readonly waiting: number;
}

/** Lets orders that are on hold after a restore be used for their inquiry; skips all others. */
export async function releaseOrders(
  services: OrderServices,
  ids: readonly string[],
  release: OrderRelease,
): Promise<ReleasedOrders> {
  const released: string[] = [];
  let waiting = 0;
  // In small transactions, because the service waits while one runs.
  for (let start = 0; start < ids.length; start += BATCH_ROWS) {
    const part = await releaseSomeOrders(services, ids.slice(start, start + BATCH_ROWS), release);
    released.push(...part.released);
    waiting += part.waiting;
  }
  return { released, waiting };
}

async function releaseSomeOrders(
  { clock, store }: OrderServices,
  ids: readonly string[],
  { by, unchecked }: OrderRelease,
): Promise<ReleasedOrders> {
  return await store.transaction(async (records) => {
    const released: string[] = [];
    let waiting = 0;
    for (const id of ids) {
      const order = await findOrder(records, id);
      if (order?.on_hold !== 1) continue;
      if (isUnchecked(order) && !unchecked) {
        waiting += 1;
        continue;
      }
      await releaseOrderOnHold(records, id);
      await appendAuditEntry(
        records,
        { by, act: 'release_order', subject: { kind: 'order', id } },
        clock.now(),
      );
      released.push(id);
    }
    return { released, waiting };
  });
}
