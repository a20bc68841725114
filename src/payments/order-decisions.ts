/** Orders that need review: listed, explained, and decided about, each decision with its entry in the audit log. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { changeEach } from '#store/engine/batches.ts';
import { findOrder, type Order } from '#store/orders/orders.ts';
import {
  isUnchecked,
  listOrdersToReview,
  markOrderReviewed,
  releaseOrderOnHold,
} from '#store/orders/orders-to-review.ts';
import type { Records } from '#store/schema/tables.ts';

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
      const subject = { kind: 'order', id } as const;
      await appendAuditEntry(records, { by, act: 'attend_order', subject }, clock.now());
    }
  });
}

export interface ReleasedOrders {
  readonly released: readonly string[];
  /** How many orders must be checked with the provider first. */
  readonly waiting: number;
}

/**
 * Lets orders that are on hold after a restore be used for their inquiry; skips all others. `unchecked` also releases
 * orders that have not been checked with the provider since the restore, or whose payment is open.
 */
export async function releaseOrders(
  { clock, store }: OrderServices,
  ids: readonly string[],
  { by, unchecked }: { readonly by: string | null; readonly unchecked: boolean },
): Promise<ReleasedOrders> {
  const outcomes = await changeEach(store, ids, async (records, id) => {
    const order = await findOrder(records, id);
    if (order?.on_hold !== 1) return null;
    if (isUnchecked(order) && !unchecked) return 'waiting';
    await releaseOrderOnHold(records, id);
    const subject = { kind: 'order', id } as const;
    await appendAuditEntry(records, { by, act: 'release_order', subject }, clock.now());
    return 'released';
  });
  return {
    released: ids.filter((_id, index) => outcomes[index] === 'released'),
    waiting: outcomes.filter((outcome) => outcome === 'waiting').length,
  };
}

/** A paid order is listed only if it is on hold after a restore. */
export function getOrderTrouble({ payment }: Pick<Order, 'payment'>): string {
  return payment === 'paid' ? 'held' : payment;
}

const explanations: Readonly<Record<string, string>> = {
  quarantined:
    'The payment does not match what was sold: its amount, currency or mode differs. The order opens no case. Look the payment up at the provider by the order’s id and refund it there. If you are unsure, first ask the buyer, at the address shown there, how the payment came about.',
  disputed:
    'The payer’s bank has opened a dispute. Answer it at the provider; this needs no data from a case, and none should be sent.',
  held: 'The records were restored from a backup, and it is not known whether this order was used after it. Release it once you are sure that it was not, or refund it.',
};

export function explainOrderTrouble(order: Pick<Order, 'payment'>): string {
  return explanations[getOrderTrouble(order)] ?? '';
}

/**
 * Oldest first. The cursor is the id of the last order, because its time could be linked to a case; it is null on the
 * last page. Returns null if there is no order with the id `after`.
 */
export async function readOrdersToReview(
  records: Records,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly orders: readonly Order[]; readonly next: string | null } | null> {
  const last = after === undefined ? undefined : await findOrder(records, after);
  if (after !== undefined && !last) return null;
  const found = await listOrdersToReview(records, {
    limit: limit + 1,
    after: last && { at: last.created_at, id: last.id },
  });
  const orders = found.slice(0, limit);
  return { orders, next: found.length > limit ? (orders.at(-1)?.id ?? null) : null };
}
