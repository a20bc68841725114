/** Applies a buyer's actions to a session, its intent (the amount to collect) and its charges (attempts to collect). */
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { ProviderApiError } from './errors.ts';
import { emitStripeEvent } from './events.ts';
import { readSessionDetail, type SessionDetail } from './sessions.ts';
import { generateStripeId, getUnixSeconds, toObjectId } from './state.ts';

/** No e-mail can reach a name under `.invalid` (RFC 2606 §2). */
export const BUYER_EMAIL = 'buyer@sandbox.invalid';

/** The updated session, and the id of its event, if any. */
interface PurchaseStep {
  readonly session: Stripe.Checkout.Session;
  readonly event: string | null;
}

/** Who pays for which session. */
interface SandboxBuyer {
  readonly session: string;
  /** As typed on the pay page. */
  readonly email?: string | undefined;
}

export const BUYER_ACTIONS = ['pay', 'pay_later', 'pay_later_fail', 'decline'] as const;
type BuyerAction = (typeof BUYER_ACTIONS)[number];
export type BuyerActionHandler = (buyer: SandboxBuyer, action: BuyerAction) => Promise<PurchaseStep>;

const MAX_SERVICE_WAIT_MS = 10_000;

/** Performs a buyer's action and waits for the service's response to its event, as a hosted checkout does. */
export function createBuyerActionHandler(sandbox: SandboxContext): BuyerActionHandler {
  const running = new Map<string, Promise<PurchaseStep>>();

  const performBuyerAction = async (buyer: SandboxBuyer, action: BuyerAction): Promise<PurchaseStep> => {
    sandbox.schedule.wake();
    const step = sandbox.state.runInTransaction(() => tryToPay(sandbox, buyer, action));
    if (step.event !== null) await sandbox.webhooks.waitForFirstResponse(step.event, MAX_SERVICE_WAIT_MS);
    return step;
  };

  return async (buyer, action) => {
    const { session } = buyer;
    // A second click waits for the first and then finds the session complete.
    await running.get(session)?.catch(() => {});
    const step = performBuyerAction(buyer, action).finally(() => running.delete(session));
    running.set(session, step);
    return step;
  };
}

type ChargeStatus = 'succeeded' | 'pending' | 'failed';

/** A card is charged at once; a bank debit, which the buyer pays later, succeeds or fails later. */
const chargeStatuses: Readonly<Record<BuyerAction, ChargeStatus>> = {
  pay: 'succeeded',
  pay_later: 'pending',
  pay_later_fail: 'pending',
  decline: 'failed',
};

/** Does nothing if the session is already complete. A declined card leaves it open for another attempt. */
function tryToPay(
  sandbox: SandboxContext,
  { session: id, email = BUYER_EMAIL }: SandboxBuyer,
  action: BuyerAction,
): PurchaseStep {
  const { state, schedule, faults } = sandbox;
  const found = state.requireObject('checkout.session', id);
  if (found.status === 'complete' && action !== 'decline') return { session: found, event: null };
  if (found.status !== 'open') throw new ProviderApiError(400, `The session is ${found.status}.`);
  const status = chargeStatuses[action];
  const unpaid =
    found.payment_intent === null
      ? buildPaymentIntent(found, readSessionDetail(sandbox, id).payment_intent_data)
      : state.requireObject('payment_intent', toObjectId(found.payment_intent));
  const charge = concludeCharge(buildCharge(unpaid, email, action === 'pay' || action === 'decline'), status);
  const intent = applyChargeToIntent(unpaid, charge);
  const tried: Stripe.Checkout.Session = {
    ...found,
    customer_details: { email } as Stripe.Checkout.Session.CustomerDetails,
    payment_intent: intent.id,
  };
  for (const object of [charge, intent, tried]) state.storeObject(object);
  const event = emitChargeEvents(sandbox, charge, intent);
  if (status === 'failed') return { session: tried, event };
  if (status === 'pending') {
    const outcome = action === 'pay_later' ? 'settle_payment' : 'fail_payment';
    schedule.addTask(outcome, id, Date.now() + faults.settleAfterMs);
  }
  const payment_status = status === 'succeeded' ? 'paid' : 'unpaid';
  const session: Stripe.Checkout.Session = { ...tried, payment_status, status: 'complete', url: null };
  state.storeObject(session);
  return { session, event: emitStripeEvent(sandbox, 'checkout.session.completed', session) };
}

/** Applies the bank's later decision about a debit. */
export function settleBankDebit(sandbox: SandboxContext, id: string, status: 'succeeded' | 'failed'): void {
  const session = sandbox.state.requireObject('checkout.session', id);
  const pending = sandbox.state.requireObject('payment_intent', toObjectId(session.payment_intent));
  const tried = sandbox.state.requireObject('charge', toObjectId(pending.latest_charge));
  const charge = concludeCharge(tried, status);
  const intent = applyChargeToIntent(pending, charge);
  const payment_status = status === 'succeeded' ? 'paid' : 'unpaid';
  const settled: Stripe.Checkout.Session = { ...session, payment_status };
  for (const object of [charge, intent, settled]) sandbox.state.storeObject(object);
  emitChargeEvents(sandbox, charge, intent);
  emitStripeEvent(sandbox, `checkout.session.async_payment_${status}`, settled);
}

const intentEvents = {
  succeeded: 'payment_intent.succeeded',
  pending: 'payment_intent.processing',
  failed: 'payment_intent.payment_failed',
} as const;

/** Returns the id of the event of the intent. */
function emitChargeEvents(
  sandbox: SandboxContext,
  charge: Stripe.Charge,
  intent: Stripe.PaymentIntent,
): string {
  const status = charge.status as ChargeStatus;
  emitStripeEvent(sandbox, `charge.${status}`, charge);
  return emitStripeEvent(sandbox, intentEvents[status], intent);
}

/** The URL to which the buyer returns after paying, with the session id in place of the placeholder. */
export function buildSuccessUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

function buildPaymentIntent(
  session: Stripe.Checkout.Session,
  { metadata = {} }: SessionDetail['payment_intent_data'],
): Stripe.PaymentIntent {
  return {
    id: generateStripeId('pi_'),
    object: 'payment_intent',
    amount: session.amount_total ?? 0,
    amount_received: 0,
    created: getUnixSeconds(),
    currency: session.currency ?? 'usd',
    latest_charge: null,
    livemode: false,
    metadata,
    status: 'requires_payment_method',
  } satisfies Partial<Stripe.PaymentIntent> as Stripe.PaymentIntent;
}

/** Returns the intent with the result of its latest charge. */
function applyChargeToIntent(intent: Stripe.PaymentIntent, charge: Stripe.Charge): Stripe.PaymentIntent {
  const next = { ...intent, latest_charge: charge.id };
  if (charge.status === 'failed') return { ...next, status: 'requires_payment_method' };
  if (charge.status === 'pending') return { ...next, status: 'processing' };
  return { ...next, amount_received: charge.amount, status: 'succeeded' };
}

function buildCharge(intent: Stripe.PaymentIntent, email: string, isCard: boolean): Stripe.Charge {
  return {
    id: generateStripeId(isCard ? 'ch_' : 'py_'),
    object: 'charge',
    amount: intent.amount,
    amount_refunded: 0,
    billing_details: { email } as Stripe.Charge.BillingDetails,
    created: getUnixSeconds(),
    currency: intent.currency,
    disputed: false,
    livemode: false,
    metadata: intent.metadata,
    paid: false,
    payment_intent: intent.id,
    refunded: false,
    status: 'pending',
  } satisfies Partial<Stripe.Charge> as Stripe.Charge;
}

/** Returns the charge with the bank's decision. */
function concludeCharge(charge: Stripe.Charge, status: ChargeStatus): Stripe.Charge {
  return { ...charge, paid: status === 'succeeded', status };
}
