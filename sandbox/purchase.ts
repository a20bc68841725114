/** Moves a session, its intent and its charge together through everything a buyer can do. */
import type { Stripe } from 'stripe';
import {
  buildCharge,
  type ChargeMethod,
  type ChargeStatus,
  concludeCharge,
  retrieveCharge,
} from './charges.ts';
import type { SandboxContext } from './context.ts';
import { createInvalidRequestError } from './errors.ts';
import { emitStripeEvent, NO_REQUEST_CAUSE } from './events.ts';
import { toObjectId } from './ids.ts';
import { applyChargeToIntent, buildPaymentIntent, retrievePaymentIntent } from './payment-intents.ts';
import { buildCustomerDetails, readSessionDetail, retrieveSession } from './sessions.ts';

/** No mail can ever reach a name under `.invalid` (RFC 2606 §2). */
const BUYER_EMAIL = 'buyer@sandbox.invalid';

/** The session after the step, and the event about it if there is one. */
export interface PurchaseStep {
  readonly session: Stripe.Checkout.Session;
  readonly event: string | null;
}

const bySomebody = { cause: NO_REQUEST_CAUSE };

/** The card is charged at once; a session that is already complete stays as it is. */
export function payByCard(sandbox: SandboxContext, id: string): PurchaseStep {
  return sandbox.state.runInTransaction(() => {
    const session = retrieveSession(sandbox, id);
    if (session.status === 'complete') return { session, event: null };
    const { charge, intent } = tryCharge(sandbox, session, 'card', 'succeeded');
    emitStripeEvent(sandbox, 'charge.succeeded', charge, bySomebody);
    emitStripeEvent(sandbox, 'payment_intent.succeeded', intent, bySomebody);
    return completeSession(sandbox, session, intent, 'paid');
  });
}

/** A bank debit is started; what becomes of it is known later. */
export function payByBankDebit(
  sandbox: SandboxContext,
  id: string,
  outcome: 'settle_payment' | 'fail_payment',
): PurchaseStep {
  return sandbox.state.runInTransaction(() => {
    const session = retrieveSession(sandbox, id);
    if (session.status === 'complete') return { session, event: null };
    const { charge, intent } = tryCharge(sandbox, session, 'us_bank_account', 'pending');
    emitStripeEvent(sandbox, 'charge.pending', charge, bySomebody);
    emitStripeEvent(sandbox, 'payment_intent.processing', intent, bySomebody);
    sandbox.schedule.addTask(outcome, session.id, Date.now() + sandbox.faults.settleAfterMs);
    return completeSession(sandbox, session, intent, 'unpaid');
  });
}

/** The card is refused; the session stays open for another try. */
export function declineCard(sandbox: SandboxContext, id: string): PurchaseStep {
  return sandbox.state.runInTransaction(() => {
    const { charge, intent, session } = tryCharge(sandbox, retrieveSession(sandbox, id), 'card', 'failed');
    emitStripeEvent(sandbox, 'charge.failed', charge, bySomebody);
    const event = emitStripeEvent(sandbox, 'payment_intent.payment_failed', intent, bySomebody);
    return { session, event };
  });
}

/** The bank's late answer to a debit. */
export function settleBankDebit(sandbox: SandboxContext, id: string, status: 'succeeded' | 'failed'): void {
  const session = retrieveSession(sandbox, id);
  const pending = retrievePaymentIntent(sandbox, toObjectId(session.payment_intent));
  const charge = concludeCharge(retrieveCharge(sandbox, toObjectId(pending.latest_charge)), status);
  const intent = applyChargeToIntent(pending, charge);
  const paid = status === 'succeeded';
  const settled: Stripe.Checkout.Session = { ...session, payment_status: paid ? 'paid' : 'unpaid' };
  for (const object of [charge, intent, settled]) sandbox.state.storeObject(object);
  emitStripeEvent(sandbox, paid ? 'charge.succeeded' : 'charge.failed', charge, bySomebody);
  emitStripeEvent(
    sandbox,
    paid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed',
    intent,
    bySomebody,
  );
  const type = paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed';
  emitStripeEvent(sandbox, type, settled, bySomebody);
}

/** Where the buyer goes after paying: the placeholder is replaced, every other byte stays. */
export function buildSuccessUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

function tryCharge(
  sandbox: SandboxContext,
  session: Stripe.Checkout.Session,
  method: ChargeMethod,
  status: ChargeStatus,
) {
  if (session.status !== 'open')
    throw createInvalidRequestError(`The session is ${session.status}.`, { param: 'session' });
  const { payment_intent_data } = readSessionDetail(sandbox, session.id);
  const present =
    session.payment_intent === null
      ? buildPaymentIntent(session, payment_intent_data)
      : retrievePaymentIntent(sandbox, toObjectId(session.payment_intent));
  const email = session.customer_email ?? BUYER_EMAIL;
  const charge = buildCharge(present, { email, method }, status);
  const intent = applyChargeToIntent(present, charge);
  const tried: Stripe.Checkout.Session = { ...session, payment_intent: intent.id };
  for (const object of [charge, intent, tried]) sandbox.state.storeObject(object);
  return { charge, intent, session: tried };
}

function completeSession(
  sandbox: SandboxContext,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  payment_status: 'paid' | 'unpaid',
): PurchaseStep {
  const completed: Stripe.Checkout.Session = {
    ...session,
    customer_details: buildCustomerDetails(session.customer_email ?? BUYER_EMAIL),
    payment_intent: intent.id,
    payment_status,
    status: 'complete',
    url: null,
  };
  sandbox.state.storeObject(completed);
  const event = emitStripeEvent(sandbox, 'checkout.session.completed', completed, bySomebody);
  return { session: completed, event };
}
