/** Builds payment intents (the amount that a session collects, and its state) and charges (attempts to collect it). */
import type { Stripe } from 'stripe';
import { generateStripeId, getUnixSeconds } from './object-values.ts';
import type { SessionDetail } from './sessions.ts';

/** Session metadata is not copied: an intent gets only payment_intent_data. */
export function buildPaymentIntent(
  session: Stripe.Checkout.Session,
  data: SessionDetail['payment_intent_data'],
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
    metadata: data.metadata ?? {},
    payment_method: null,
    statement_descriptor_suffix: data.statement_descriptor_suffix ?? null,
    status: 'requires_payment_method',
  } satisfies Partial<Stripe.PaymentIntent> as Stripe.PaymentIntent;
}

/** Returns the intent with the result of its latest charge. */
export function applyChargeToIntent(
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
): Stripe.PaymentIntent {
  const next = { ...intent, latest_charge: charge.id };
  if (charge.status === 'failed') return { ...next, payment_method: null, status: 'requires_payment_method' };
  const { payment_method } = charge;
  if (charge.status === 'pending') return { ...next, payment_method, status: 'processing' };
  return { ...next, amount_received: charge.amount, payment_method, status: 'succeeded' };
}

export type ChargeMethod = 'card' | 'us_bank_account';
export type ChargeStatus = 'succeeded' | 'pending' | 'failed';

export function buildCharge(
  intent: Stripe.PaymentIntent,
  buyer: { readonly email: string; readonly method: ChargeMethod },
  status: ChargeStatus,
): Stripe.Charge {
  const charge = {
    id: generateStripeId(buyer.method === 'card' ? 'ch_' : 'py_'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    billing_details: { address: null, email: buyer.email, name: null, phone: null, tax_id: null },
    captured: false,
    created: getUnixSeconds(),
    currency: intent.currency,
    disputed: false,
    failure_code: null,
    livemode: false,
    metadata: intent.metadata,
    paid: false,
    payment_intent: intent.id,
    payment_method: generateStripeId('pm_'),
    refunded: false,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: 'pending',
  } satisfies Partial<Stripe.Charge> as Stripe.Charge;
  return concludeCharge(charge, status);
}

/** Returns the charge with the bank's decision. */
export function concludeCharge(charge: Stripe.Charge, status: ChargeStatus): Stripe.Charge {
  if (status === 'pending') return charge;
  if (status === 'failed') return { ...charge, failure_code: 'card_declined', status };
  return { ...charge, amount_captured: charge.amount, captured: true, paid: true, status };
}
