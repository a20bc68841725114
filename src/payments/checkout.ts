/** Sells a tier: the order is written first, then the provider is asked for a page to pay it on. */
import type { Stripe } from 'stripe';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import type { Services } from '#services.ts';
import {
  claimIdempotencyKey,
  reassignIdempotencyKey,
  toIdempotentRequest,
} from '#store/idempotent-request.ts';
import { bindOrderSession, findOrder, insertOrder, type Order } from '#store/orders.ts';
import type { Records } from '#store/tables.ts';
import { computeOrderOwnerTag } from './owner.ts';
import { encryptSessionId } from './session-id.ts';
import { computeTierAmount, getTier, priceCurrency, type TierName } from './tiers.ts';

const HOUR_MS = 3_600_000;
const SHORTEST_MS = 31 * 60_000;
/** A buyer who has paid is back within this time, or the webhook was heard; after it the provider is asked. */
const FIRST_CHECK_MS = 3 * 60_000;

interface Purchase {
  readonly tier: TierName;
  /** The caller's Idempotency-Key. */
  readonly key: string | null;
  /** The client that buys; null for a person at the site, and for whoever shows no token. */
  readonly clientId?: string | null;
}

/** The address of the provider's page. Asking again with the same key gives the same page. */
export async function startCheckout(services: Services, purchase: Purchase): Promise<string> {
  const { gateway, keyring, store } = services;
  if (!gateway.configured) throw new ServiceError('payments_not_configured');
  gateway.requireCapacity();
  const order = await store.transaction((records) => placeOrder(services, records, purchase));
  // Callers with the same key at the same moment share one call: the provider would refuse the second.
  const session = await services.shared(`checkout ${order.id}`, () =>
    gateway.createSession(buildSessionParameters(services, order), `order-${order.id}`),
  );
  // Bound before anyone learns the address: an order without a session is one that nobody can have paid.
  const sealed = encryptSessionId(keyring, session.id, order.id);
  const tag =
    order.session_tag ??
    (await store.transaction(async (records) => {
      await bindOrderSession(records, order.id, sealed);
      return (await findOrder(records, order.id))?.session_tag;
    }));
  if (tag !== sealed.tag) await refuseSecondSession(services, session.id);
  return session.url;
}

/** The provider forgot the first one, or is another than before: paying this one would buy nothing. */
async function refuseSecondSession(
  { gateway, log }: Pick<Services, 'log' | 'gateway'>,
  sessionId: string,
): Promise<never> {
  log.event('payment_alarm', { reason: 'two sessions for one order' });
  await gateway.expireSession(sessionId);
  throw new ServiceError('payment_provider_unavailable');
}

async function placeOrder(
  services: Pick<Services, 'clock' | 'keyring' | 'gateway'>,
  records: Records,
  { tier, key, clientId = null }: Purchase,
): Promise<Order> {
  const owner = clientId === null ? null : computeOrderOwnerTag(services.keyring, clientId);
  const order = createOrder(services, tier, owner);
  // A client's keys are its own; all others share theirs.
  const scope = owner === null ? 'checkout' : `checkout of ${owner}`;
  const repeat = toIdempotentRequest(services.keyring, { scope, key, body: tier });
  const before = repeat && (await claimIdempotencyKey(records, repeat, order.id, order.created_at));
  const earlier = before === null ? undefined : await findOrder(records, before);
  if (earlier && isReusableOrder(earlier, order.created_at)) return earlier;
  await insertOrder(records, order);
  if (repeat && before !== null) await reassignIdempotencyKey(records, repeat, order.id);
  return order;
}

/** Its page can still be paid, or still be made: the provider wants a session to live half an hour at least. */
function isReusableOrder({ payment, session_tag, expires_at }: Order, now: number): boolean {
  if (payment === 'expired' || payment === 'failed') return false;
  return session_tag !== null ? expires_at > now || payment !== 'pending' : expires_at - now > SHORTEST_MS;
}

function createOrder(
  { clock, gateway }: Pick<Services, 'clock' | 'gateway'>,
  tier: TierName,
  owner: string | null,
): Order {
  const now = clock.now();
  return {
    id: generateId(),
    tier,
    amount: computeTierAmount(tier),
    currency: priceCurrency,
    livemode: gateway.livemode ? 1 : 0,
    payment: 'pending',
    revision: 0,
    redeemed: 0,
    session_tag: null,
    session_box: null,
    owner,
    created_at: now,
    expires_at: now + HOUR_MS,
    check_at: now + FIRST_CHECK_MS,
  };
}

/** Everything comes from the order, so that asking again is the same request to the byte. */
function buildSessionParameters(
  { addresses }: Pick<Services, 'addresses'>,
  { id, tier, amount, currency: unit, expires_at }: Order,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { order_id: id };
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: unit,
          unit_amount: amount,
          product_data: {
            name: getTier(tier as TierName).receiptName,
            description: 'Delivered online within 48 hours.',
          },
        },
      },
    ],
    allowed_payment_method_types: ['card'],
    adaptive_pricing: { enabled: false },
    customer_creation: 'if_required',
    client_reference_id: id,
    metadata,
    payment_intent_data: { metadata, statement_descriptor_suffix: 'ONLINE RESEARCH' },
    success_url: addresses.inquiryAfterPayment(tier),
    cancel_url: addresses.paymentCancelled,
    expires_at: Math.floor(expires_at / 1_000),
  };
}
