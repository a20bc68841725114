/** Starts a purchase: requests a payment page and stores the order with it, or before it for a repeatable request. */
import type { Language } from '#language/language.ts';
import { ENGLISH } from '#language/languages.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { PAYMENT_PAGE_MINUTES } from '#platform/expiry.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { isPostgres } from '#store/engine/prepared.ts';
import {
  buildClaim,
  claimIdempotencyKey,
  reassignIdempotencyKey,
  toIdempotentRequest,
} from '#store/idempotent-request.ts';
import type { StorageObstacle } from '#store/limits/storage-gate.ts';
import { insertKeyedOrder, insertLinkedOrder } from '#store/orders/order-webhooks.ts';
import { bindOrderSession, findOrder, type Order } from '#store/orders/orders.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#store/owner.ts';
import { UNPAID_STATES } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { buildOrderLink } from './order-events.ts';
import type { SessionRequest } from './payment-provider.ts';
import { refreshOpenOrder } from './redeem.ts';
import { decryptSessionId, encryptSessionId } from './session-id.ts';
import { closeSession, makeUnpaidOrdersGiveWay } from './sweep.ts';
import { computeTierAmount, DELIVERY_HOURS, getTier, priceCurrency, type TierName } from './tiers.ts';

const MIN_SESSION_MS = 31 * MINUTE_MS;
/** By then a buyer who paid has returned or the webhook has arrived; otherwise the provider is asked. */
const FIRST_CHECK_MS = 3 * MINUTE_MS;

interface Purchase {
  readonly tier: TierName;
  /** The caller's Idempotency-Key. */
  readonly key: string | null;
  /** Who buys; null for a purchase from the website or without a token. */
  readonly buyer?: RecordOwner | null;
  /** The buyer's language, for the payment page. The provider stores it for the e-mail; we do not. */
  readonly language?: Language;
}

export interface StartedCheckout {
  readonly order: Order;
  /** The provider's payment page; null once it is closed, because the order is paid or about to be. */
  readonly url: string | null;
}

export async function startCheckout(
  services: Services,
  purchase: Purchase & { readonly key: null },
): Promise<StartedCheckout & { readonly url: string }>;
export async function startCheckout(services: Services, purchase: Purchase): Promise<StartedCheckout>;
/** A repeated call with the same key returns the same order, and its page while it can be paid. */
export async function startCheckout(services: Services, purchase: Purchase): Promise<StartedCheckout> {
  const { paymentProvider, store } = services;
  if (!paymentProvider.configured) throw new ServiceError('payments_not_configured');
  paymentProvider.requireCapacity();
  const admission = {
    kind: 'unpaid_orders',
    bytes: 0,
    makeRoom: (obstacle: StorageObstacle) => makeUnpaidOrdersGiveWay(services, obstacle),
    refusal: () => new ServiceError('storage_full'),
  } as const;
  if (purchase.key === null) return await store.gate.admit(admission, () => buyOnce(services, purchase));
  const placed = await store.gate.admit(admission, () => placeKeyedOrder(services, purchase));
  // Asks the provider before an earlier session is handed out again: its page may be closed. Also, callers without a
  // token share their keys, and a paid session opens the form.
  const order = await refreshKeyedOrder(services, placed);
  if (order.payment === 'pending') return { order, url: await openRepeatedSession(services, order) };
  // The order was certainly never paid, so its key can be used for a new one.
  if (UNPAID_STATES.includes(order.payment)) return await startCheckout(services, purchase);
  if (order.owner === null) throw new ServiceError('idempotency_key_used');
  return { order, url: null };
}

/** Closes an expired page before its key is used for another order, because a payment may have gone unnoticed. */
async function refreshKeyedOrder(services: Services, order: Order): Promise<Order> {
  const refreshed = await refreshOpenOrder(services, order);
  const sessionId = decryptSessionId(services.keyring, refreshed);
  if (refreshed.payment !== 'pending' || sessionId === null) return refreshed;
  if (refreshed.expires_at > services.clock.now()) return refreshed;
  const closed = await closeSession(services, sessionId);
  if (!closed) throw new ServiceError('payment_provider_unavailable');
  return closed;
}

/** Stores the order with its session before returning the URL: if storing fails, no one can pay. */
async function buyOnce(
  services: Services,
  { tier, buyer = null, language = ENGLISH }: Purchase,
): Promise<StartedCheckout> {
  const { paymentProvider, keyring, store } = services;
  const order = createOrder(services, tier, buyer);
  const { id, url } = await paymentProvider.createSession({
    ...buildSessionRequest(services, order),
    // Without a locale, the payment page follows the browser, which may prefer a language that we do not have.
    ...(language !== ENGLISH && { locale: language.tag }),
  });
  const { tag, ciphertext } = encryptSessionId(keyring, id, order.id);
  const placed = { ...order, session_tag: tag, session_ciphertext: ciphertext };
  const link = buildOrderLink(keyring, order, buyer);
  await store.transaction((records) => insertLinkedOrder(records, placed, link), 'one statement');
  return { order: placed, url };
}

async function openRepeatedSession(services: Services, order: Order): Promise<string> {
  const { paymentProvider, keyring, store } = services;
  // Concurrent requests with the same key share one call, because the provider would refuse the second.
  const session = await services.singleFlight(`checkout ${order.id}`, () =>
    paymentProvider.createSession(buildSessionRequest(services, order)),
  );
  // Bound before the URL is returned, so that an order without a session cannot have been paid.
  const sealed = encryptSessionId(keyring, session.id, order.id);
  const tag =
    order.session_tag ??
    ((await store.transaction((records) => bindOrderSession(records, order.id, sealed), 'one statement'))
      ? sealed.tag
      : (await findOrder(store.records, order.id))?.session_tag);
  if (tag === sealed.tag) return session.url;
  // The provider lost the first session, or the account has changed: a payment would not reach the order.
  services.log.event('payment_alarm', { reason: 'two sessions for one order' });
  await paymentProvider.expireSession(session.id);
  throw new ServiceError('payment_provider_unavailable');
}

/** Most keys are used once, so on PostgreSQL one statement stores their order. */
async function placeKeyedOrder(
  services: Pick<Services, 'clock' | 'keyring' | 'paymentProvider' | 'store'>,
  { tier, key, buyer = null }: Purchase,
): Promise<Order> {
  const { keyring, store } = services;
  const order = createOrder(services, tier, buyer);
  const link = buildOrderLink(keyring, order, buyer);
  // Each owner has their own keys; callers without a token share theirs.
  const scope = order.owner === null ? 'checkout' : `checkout of ${order.owner}`;
  const request = toIdempotentRequest(keyring, { scope, key, body: tier })!;
  const claim = buildClaim(request, order.id, order.created_at);
  const insert = (records: Records) => insertKeyedOrder(records, order, link, claim);
  if (isPostgres(store.records) && (await store.transaction(insert, 'one statement'))) return order;
  return await store.transaction(async (records) => {
    const earlierId = await claimIdempotencyKey(records, request, order.id, order.created_at);
    const earlier = earlierId === null ? undefined : await findOrder(records, earlierId);
    if (earlier && isSpentOrder(earlier)) throw new ServiceError('idempotency_key_used');
    if (earlier && isReusableOrder(earlier, order.created_at)) return earlier;
    await insertLinkedOrder(records, order, link);
    if (earlierId !== null) await reassignIdempotencyKey(records, request, order.id);
    return order;
  }, 'read committed');
}

/** True once paid; with a token, once settled: its times are then cut, and a repeated request would differ. */
function isSpentOrder({ owner, payment, created_at, expires_at }: Order): boolean {
  if (UNPAID_STATES.includes(payment)) return false;
  return owner === null ? payment !== 'pending' : expires_at === created_at;
}

/** True if its session exists or can still be created; the provider requires a session to last at least 30 minutes. */
function isReusableOrder({ payment, session_tag, expires_at }: Order, now: number): boolean {
  if (payment === 'expired' || payment === 'failed') return false;
  return session_tag !== null || expires_at - now > MIN_SESSION_MS;
}

function createOrder(
  { clock, paymentProvider, keyring }: Pick<Services, 'clock' | 'paymentProvider' | 'keyring'>,
  tier: TierName,
  buyer: RecordOwner | null,
): Order {
  const now = clock.now();
  return {
    id: generateId(),
    tier,
    amount: computeTierAmount(tier),
    currency: priceCurrency,
    livemode: paymentProvider.livemode ? 1 : 0,
    payment: 'pending',
    revision: 0,
    redeemed: 0,
    on_hold: 0,
    session_tag: null,
    session_ciphertext: null,
    owner: buyer === null ? null : computeOrderOwnerTag(keyring, buyer),
    created_at: now,
    expires_at: now + PAYMENT_PAGE_MINUTES * MINUTE_MS,
    check_at: now + FIRST_CHECK_MS,
    return_link_at: null,
    return_link_hash: null,
    form_shown: 0,
  };
}

/** Built from the order alone, so that a repeated request is identical. */
function buildSessionRequest(
  { addresses }: Pick<Services, 'addresses'>,
  { id, tier, amount, currency, expires_at: expiresAt }: Order,
): SessionRequest {
  return {
    orderId: id,
    amount,
    currency,
    name: getTier(tier as TierName).receiptName,
    description: `Delivered online within ${DELIVERY_HOURS} hours.`,
    expiresAt,
    buildSuccessUrl: (sessionId) => addresses.inquiryAfterPayment(tier, sessionId),
    cancelUrl: addresses.paymentCancelled,
  };
}
