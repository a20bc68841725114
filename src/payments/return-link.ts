/** The return link to a paid form that was not sent: it has a token, of which the order stores only the hash. */
import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { FORM_DAYS, RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import type { Services } from '#services.ts';
import type { Order } from '#store/orders/orders.ts';
import { findOrderByReturnLink, makeReturnLinkDue, setReturnLinkHash } from '#store/orders/return-links.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import { decryptSessionId } from './session-id.ts';

const TOKEN = /^[\w-]{43}$/;
/** A payment that is valid again after a dispute or a failed refund has already had its e-mail. */
const STATES_BEFORE_PAID: readonly PaymentState[] = ['pending', 'processing', 'failed'];

/** When to send the return link if the payment reaches this state now; null if a program sends the inquiry itself. */
export function computeReturnLinkTime(
  { owner, payment }: Pick<Order, 'owner' | 'payment'>,
  to: PaymentState,
  now: number,
): number | null {
  const isFirstPaid = to === 'paid' && STATES_BEFORE_PAID.includes(payment);
  return isFirstPaid && owner === null ? now + RETURN_LINK_MINUTES * MINUTE_MS : null;
}

/** False once the order is used or refunded, and after `FORM_DAYS`. The form itself reports an order on hold. */
export function isReturnLinkOpen({ payment, redeemed, created_at }: Order, now: number): boolean {
  return payment === 'paid' && redeemed === 0 && now < created_at + FORM_DAYS * DAY_MS;
}

/** For a payer who asks for the e-mail again. Returns false if the order's form is not open, or a program made it. */
export async function requestReturnLink(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<boolean> {
  const now = clock.now();
  const made = { id, now, after: now - FORM_DAYS * DAY_MS };
  return await store.transaction((records) => makeReturnLinkDue(records, made));
}

/**
 * Returns the token for an e-mail, or null if the order was used or is no longer paid. It is derived from the e-mail's
 * id, so that an e-mail that is sent again has the same link, and nothing leads to the token once the e-mail has left
 * the outbox.
 */
export async function recordReturnLink(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  { id }: Pick<Order, 'id'>,
  emailId: string,
): Promise<string | null> {
  const token = keyring.tag('way back', emailId);
  const isRecorded = await store.transaction((records) => setReturnLinkHash(records, id, hashToken(token)));
  return isRecorded ? token : null;
}

/** Returns the session whose form the link opens, or null if it opens none; does not ask the provider. */
export async function findReturnLinkSession(
  { clock, keyring, store }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  token: string,
): Promise<string | null> {
  const order = TOKEN.test(token) ? await findOrderByReturnLink(store.records, hashToken(token)) : undefined;
  return order && isReturnLinkOpen(order, clock.now()) ? decryptSessionId(keyring, order) : null;
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
