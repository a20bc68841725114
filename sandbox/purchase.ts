/** Applies a buyer's actions to a session, its intent and its charge together. */
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { createInvalidRequestError } from './errors.ts';
import { emitStripeEvent } from './events.ts';
import { toObjectId } from './object-values.ts';
import {
  applyChargeToIntent,
  buildCharge,
  buildPaymentIntent,
  type ChargeMethod,
  type ChargeStatus,
  concludeCharge,
} from './payments.ts';
import { readSessionDetail } from './sessions.ts';

/** No e-mail can reach a name under `.invalid` (RFC 2606 §2). */
export const BUYER_EMAIL = 'buyer@sandbox.invalid';

/** The updated session, and the id of its event, if any. */
export interface PurchaseStep {
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
export type BuyerAction = (typeof BUYER_ACTIONS)[number];
export type BuyerActionHandler = (buyer: SandboxBuyer, action: BuyerAction) => Promise<PurchaseStep>;

const MAX_SERVICE_WAIT_MS = 10_000;

/** Performs a buyer's action, sends its events and waits for the service's response, as a hosted checkout does. */
export function createBuyerActionHandler(sandbox: SandboxContext): BuyerActionHandler {
  const running = new Map<string, Promise<PurchaseStep>>();

  const performBuyerAction = async (buyer: SandboxBuyer, action: BuyerAction): Promise<PurchaseStep> => {
    sandbox.schedule.wake();
    const step = STEPS[action](sandbox, buyer);
    sandbox.schedule.wake();
    sandbox.webhooks.wake();
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

const STEPS: Readonly<Record<BuyerAction, (sandbox: SandboxContext, buyer: SandboxBuyer) => PurchaseStep>> = {
  pay: payByCard,
  pay_later: (sandbox, buyer) => payByBankDebit(sandbox, buyer, 'settle_payment'),
  pay_later_fail: (sandbox, buyer) => payByBankDebit(sandbox, buyer, 'fail_payment'),
  decline: declineCard,
};

/** Charges the card at once; does nothing if the session is already complete. */
function payByCard(sandbox: SandboxContext, buyer: SandboxBuyer): PurchaseStep {
  return sandbox.state.runInTransaction(() => {
    const session = retrieveBuyerSession(sandbox, buyer);
    if (session.status === 'complete') return { session, event: null };
    const { charge, intent } = tryCharge(sandbox, session, 'card', 'succeeded');
    emitStripeEvent(sandbox, 'charge.succeeded', charge);
    emitStripeEvent(sandbox, 'payment_intent.succeeded', intent);
    return completeSession(sandbox, session, intent, 'paid');
  });
}

/** Starts a bank debit, which succeeds or fails later. */
function payByBankDebit(
  sandbox: SandboxContext,
  buyer: SandboxBuyer,
  outcome: 'settle_payment' | 'fail_payment',
): PurchaseStep {
  return sandbox.state.runInTransaction(() => {
    const session = retrieveBuyerSession(sandbox, buyer);
    if (session.status === 'complete') return { session, event: null };
    const { charge, intent } = tryCharge(sandbox, session, 'us_bank_account', 'pending');
    emitStripeEvent(sandbox, 'charge.pending', charge);
    emitStripeEvent(sandbox, 'payment_intent.processing', intent);
    sandbox.schedule.addTask(outcome, session.id, Date.now() + sandbox.faults.settleAfterMs);
    return completeSession(sandbox, session, intent, 'unpaid');
  });
}

/** Declines the card; the session stays open for another attempt. */
function declineCard(sandbox: SandboxContext, buyer: SandboxBuyer): PurchaseStep {
  return sandbox.state.runInTransaction(() => {
    const tried = retrieveBuyerSession(sandbox, buyer);
    const { charge, intent, session } = tryCharge(sandbox, tried, 'card', 'failed');
    emitStripeEvent(sandbox, 'charge.failed', charge);
    const event = emitStripeEvent(sandbox, 'payment_intent.payment_failed', intent);
    return { session, event };
  });
}

/** Applies the bank's later decision about a debit. */
export function settleBankDebit(sandbox: SandboxContext, id: string, status: 'succeeded' | 'failed'): void {
  const session = sandbox.state.requireObject('checkout.session', id);
  const pending = sandbox.state.requireObject('payment_intent', toObjectId(session.payment_intent));
  const tried = sandbox.state.requireObject('charge', toObjectId(pending.latest_charge));
  const charge = concludeCharge(tried, status);
  const intent = applyChargeToIntent(pending, charge);
  const paid = status === 'succeeded';
  const settled: Stripe.Checkout.Session = { ...session, payment_status: paid ? 'paid' : 'unpaid' };
  for (const object of [charge, intent, settled]) sandbox.state.storeObject(object);
  emitStripeEvent(sandbox, paid ? 'charge.succeeded' : 'charge.failed', charge);
  emitStripeEvent(sandbox, paid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent);
  const type = paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed';
  emitStripeEvent(sandbox, type, settled);
}

/** The URL to which the buyer returns after paying, with the session id in place of the placeholder. */
export function buildSuccessUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

/** An open session also gets the address that the buyer typed. */
function retrieveBuyerSession(
  sandbox: SandboxContext,
  { session: id, email = BUYER_EMAIL }: SandboxBuyer,
): Stripe.Checkout.Session {
  const session = sandbox.state.requireObject('checkout.session', id);
  if (session.status !== 'open') return session;
  const nothing = { address: null, business_name: null, individual_name: null, name: null, phone: null };
  return { ...session, customer_details: { ...nothing, email, tax_exempt: 'none', tax_ids: null } };
}

function tryCharge(
  sandbox: SandboxContext,
  session: Stripe.Checkout.Session,
  method: ChargeMethod,
  status: ChargeStatus,
) {
  if (session.status !== 'open') throw createInvalidRequestError(`The session is ${session.status}.`);
  const { payment_intent_data } = readSessionDetail(sandbox, session.id);
  const currentIntent =
    session.payment_intent === null
      ? buildPaymentIntent(session, payment_intent_data)
      : sandbox.state.requireObject('payment_intent', toObjectId(session.payment_intent));
  const email = session.customer_details?.email ?? BUYER_EMAIL;
  const charge = buildCharge(currentIntent, { email, method }, status);
  const intent = applyChargeToIntent(currentIntent, charge);
  const updated: Stripe.Checkout.Session = { ...session, payment_intent: intent.id };
  for (const object of [charge, intent, updated]) sandbox.state.storeObject(object);
  return { charge, intent, session: updated };
}

function completeSession(
  sandbox: SandboxContext,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  payment_status: 'paid' | 'unpaid',
): PurchaseStep {
  const completed: Stripe.Checkout.Session = {
    ...session,
    payment_intent: intent.id,
    payment_status,
    status: 'complete',
    url: null,
  };
  sandbox.state.storeObject(completed);
  const event = emitStripeEvent(sandbox, 'checkout.session.completed', completed);
  return { session: completed, event };
}
