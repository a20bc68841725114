/** Tells the client that made an order when it is paid, if the client has a webhook. */
import type { Services } from '#services.ts';
import {
  enqueueWebhookEvent,
  findClientWebhook,
  openWebhookClient,
  sealWebhookClient,
} from '#store/clients/webhook-ciphertexts.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { takeOrderWebhook, upsertOrderWebhook } from '#store/orders/order-webhooks.ts';
import type { Order } from '#store/orders/orders.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { isPaymentTransitionAllowed } from './payment-state.ts';

/** In the transaction that stores the order. What a client buys for a person is not an event for the client. */
export async function linkOrderToWebhook(
  records: Records,
  keyring: Keyring,
  order: Pick<Order, 'id' | 'payment' | 'redeemed'>,
  owner: RecordOwner | null,
): Promise<void> {
  if (owner === null || owner.userId !== null || order.redeemed === 1) return;
  if (!isPaymentTransitionAllowed(order.payment, 'paid')) return;
  if (!(await findClientWebhook(records, keyring, owner.clientId))) return;
  const ciphertext = sealWebhookClient(keyring, owner.clientId, order.id);
  await upsertOrderWebhook(records, { order_id: order.id, client_ciphertext: ciphertext });
}

/** In the transaction that changes the payment: once it is paid, or cannot be any more, the order forgets its client. */
export async function enqueueOrderEvent(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  records: Records,
  { id }: Pick<Order, 'id'>,
  payment: PaymentState,
): Promise<void> {
  if (isPaymentTransitionAllowed(payment, 'paid')) return;
  const linked = await takeOrderWebhook(records, id);
  if (!linked || payment !== 'paid') return;
  const clientId = openWebhookClient(keyring, linked.client_ciphertext, id);
  if (clientId === null) return;
  const event = { clientId, type: 'order.paid', subject: id, at: clock.now() } as const;
  await enqueueWebhookEvent(records, keyring, event);
}
