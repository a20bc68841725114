/** Why an order needs review, in words. */
import type { Order } from '#store/orders/orders.ts';

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
