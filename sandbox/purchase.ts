/** Moves a session, its intent and its charge together through everything a buyer can do. */
import type { Stripe } from 'stripe';
import { buildCharge, type ChargeStatus, concludeCharge, type Method, retrieveCharge } from './charges.ts';
import type { Till } from './context.ts';
import { invalidRequest } from './errors.ts';
import { emit, NO_REQUEST } from './events.ts';
import { idOf } from './ids.ts';
import { buildPaymentIntent, followCharge, retrievePaymentIntent } from './payment-intents.ts';
import { detailsOf, retrieveSession, sessionDetail } from './sessions.ts';

/** No mail can ever reach a name under `.invalid` (RFC 2606 §2). */
const BUYER_EMAIL = 'buyer@sandbox.invalid';

/** The session after the step, and the event about it if there is one. */
export interface Step {
  readonly session: Stripe.Checkout.Session;
  readonly event: string | null;
}

const bySomebody = { cause: NO_REQUEST };

/** The card is charged at once; a session that is already complete stays as it is. */
export function pay(till: Till, id: string): Step {
  return till.state.transaction(() => {
    const session = retrieveSession(till, id);
    if (session.status === 'complete') return { session, event: null };
    const { charge, intent } = tryCharge(till, session, 'card', 'succeeded');
    emit(till, 'charge.succeeded', charge, bySomebody);
    emit(till, 'payment_intent.succeeded', intent, bySomebody);
    return complete(till, session, intent, 'paid');
  });
}

/** A bank debit is started; what becomes of it is known later. */
export function payLater(till: Till, id: string, outcome: 'settle_payment' | 'fail_payment'): Step {
  return till.state.transaction(() => {
    const session = retrieveSession(till, id);
    if (session.status === 'complete') return { session, event: null };
    const { charge, intent } = tryCharge(till, session, 'us_bank_account', 'pending');
    emit(till, 'charge.pending', charge, bySomebody);
    emit(till, 'payment_intent.processing', intent, bySomebody);
    till.schedule.add(outcome, session.id, Date.now() + till.faults.settleAfterMs);
    return complete(till, session, intent, 'unpaid');
  });
}

/** The card is refused; the session stays open for another try. */
export function decline(till: Till, id: string): Step {
  return till.state.transaction(() => {
    const { charge, intent, session } = tryCharge(till, retrieveSession(till, id), 'card', 'failed');
    emit(till, 'charge.failed', charge, bySomebody);
    const event = emit(till, 'payment_intent.payment_failed', intent, bySomebody);
    return { session, event };
  });
}

/** The bank's late answer to a debit. */
export function settle(till: Till, id: string, status: 'succeeded' | 'failed'): void {
  const session = retrieveSession(till, id);
  const pending = retrievePaymentIntent(till, idOf(session.payment_intent));
  const charge = concludeCharge(retrieveCharge(till, idOf(pending.latest_charge)), status);
  const intent = followCharge(pending, charge);
  const paid = status === 'succeeded';
  const settled: Stripe.Checkout.Session = { ...session, payment_status: paid ? 'paid' : 'unpaid' };
  for (const object of [charge, intent, settled]) till.state.put(object);
  emit(till, paid ? 'charge.succeeded' : 'charge.failed', charge, bySomebody);
  emit(till, paid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent, bySomebody);
  const type = paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed';
  emit(till, type, settled, bySomebody);
}

/** Where the buyer goes after paying: the placeholder is replaced, every other byte stays. */
export function successUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

function tryCharge(till: Till, session: Stripe.Checkout.Session, method: Method, status: ChargeStatus) {
  if (session.status !== 'open')
    throw invalidRequest(`The session is ${session.status}.`, { param: 'session' });
  const { payment_intent_data } = sessionDetail(till, session.id);
  const present =
    session.payment_intent === null
      ? buildPaymentIntent(session, payment_intent_data)
      : retrievePaymentIntent(till, idOf(session.payment_intent));
  const email = session.customer_email ?? BUYER_EMAIL;
  const charge = buildCharge(present, { email, method }, status);
  const intent = followCharge(present, charge);
  const tried: Stripe.Checkout.Session = { ...session, payment_intent: intent.id };
  for (const object of [charge, intent, tried]) till.state.put(object);
  return { charge, intent, session: tried };
}

function complete(
  till: Till,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  payment_status: 'paid' | 'unpaid',
): Step {
  const completed: Stripe.Checkout.Session = {
    ...session,
    customer_details: detailsOf(session.customer_email ?? BUYER_EMAIL),
    payment_intent: intent.id,
    payment_status,
    status: 'complete',
    url: null,
  };
  till.state.put(completed);
  const event = emit(till, 'checkout.session.completed', completed, bySomebody);
  return { session: completed, event };
}
