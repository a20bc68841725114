/** Tells the client that made an order when it is paid, if the client has a callback. */
import type { Services } from '#services.ts';
import {
  enqueueCallbackEvent,
  findClientCallback,
  openCallbackClient,
  sealCallbackClient,
} from '#store/clients/webhook-ciphertexts.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { takeOrderCallback, upsertOrderCallback } from '#store/orders/order-webhooks.ts';
import type { Order } from '#store/orders/orders.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { isPaymentTransitionAllowed } from './payment-state.ts';

/** In the transaction that stores the order. What a client buys for a person is no event of the client. */
export async function linkOrderToCallback(
  records: Records,
  keyring: Keyring,
  order: Pick<Order, 'id' | 'payment' | 'redeemed'>,
  owner: RecordOwner | null,
): Promise<void> {
  if (owner === null || owner.userId !== null || order.redeemed === 1) return;
  if (!isPaymentTransitionAllowed(order.payment, 'paid')) return;
  if (!(await findClientCallback(records, keyring, owner.clientId))) return;
  const box = sealCallbackClient(keyring, owner.clientId, order.id);
  await upsertOrderCallback(records, { order_id: order.id, client_box: box });
}

/** In the transaction that changes the payment: once it is paid, or cannot be any more, the order forgets its client. */
export async function enqueueOrderEvent(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  records: Records,
  { id }: Pick<Order, 'id'>,
  payment: PaymentState,
): Promise<void> {
  if (isPaymentTransitionAllowed(payment, 'paid')) return;
  const linked = await takeOrderCallback(records, id);
  if (!linked || payment !== 'paid') return;
  const clientId = openCallbackClient(keyring, linked.client_box, id);
  if (clientId === null) return;
  const event = { clientId, type: 'order.paid', subject: id, at: clock.now() } as const;
  await enqueueCallbackEvent(records, keyring, event);
}
