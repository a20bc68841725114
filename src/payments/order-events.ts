/** Sends an event to the client that made an order when the order is paid, if the client has a webhook. */
import type { Services } from '#services.ts';
import {
  computeWebhookTag,
  enqueueWebhookEvent,
  openWebhookClient,
  sealWebhookClient,
} from '#store/clients/webhook-ciphertexts.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { linkOrderIfWebhook, takeOrderWebhook } from '#store/orders/order-webhooks.ts';
import type { Order } from '#store/orders/orders.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { isPaymentTransitionAllowed } from './payment-state.ts';

/** Returns null for what a client buys for a person: the client's webhook gets no events about it. */
export function buildOrderLink(
  keyring: Keyring,
  { id: orderId, payment, redeemed }: Pick<Order, 'id' | 'payment' | 'redeemed'>,
  owner: RecordOwner | null,
) {
  if (owner === null || owner.userId !== null || redeemed === 1) return null;
  if (!isPaymentTransitionAllowed(payment, 'paid')) return null;
  const { clientId } = owner;
  const ciphertext = sealWebhookClient(keyring, clientId, orderId);
  return { clientTag: computeWebhookTag(keyring, clientId), orderId, ciphertext };
}

export async function linkOrderToWebhook(
  records: Records,
  keyring: Keyring,
  order: Pick<Order, 'id' | 'payment' | 'redeemed'>,
  owner: RecordOwner,
): Promise<void> {
  const link = buildOrderLink(keyring, order, owner);
  if (link) await linkOrderIfWebhook(records, link);
}

/** Runs in the transaction that changes the payment. Deletes the link once the order is paid or can no longer be. */
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
