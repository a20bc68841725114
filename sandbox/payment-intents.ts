/** Builds payment intents: the amount that a session collects, and the state of its payment. */
import type { Stripe } from 'stripe';
import { getUnixSeconds } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { createMissingObjectError } from './errors.ts';
import { generateStripeId } from './ids.ts';
import type { SessionDetail } from './sessions.ts';

export function retrievePaymentIntent(sandbox: SandboxContext, id: string): Stripe.PaymentIntent {
  const intent = sandbox.state.findObject('payment_intent', id);
  if (intent === undefined) throw createMissingObjectError('payment_intent', id, 'intent');
  return intent;
}

/** Session metadata is not copied: an intent gets only payment_intent_data. */
export function buildPaymentIntent(
  session: Stripe.Checkout.Session,
  data: SessionDetail['payment_intent_data'],
): Stripe.PaymentIntent {
  const id = generateStripeId('pi_');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: session.allowed_payment_method_types,
    amount: session.amount_total ?? 0,
    amount_capturable: 0,
    amount_details: {},
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: data.capture_method ?? 'automatic_async',
    client_secret: `${id}_secret_${generateStripeId('pm_').slice('pm_'.length)}`,
    confirmation_method: 'automatic',
    created: getUnixSeconds(),
    currency: session.currency ?? 'usd',
    customer: null,
    customer_account: null,
    description: data.description ?? null,
    excluded_payment_method_types: session.excluded_payment_method_types ?? null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: data.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: session.payment_method_types,
    payment_record: null,
    processing: null,
    receipt_email: data.receipt_email ?? null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: data.statement_descriptor ?? null,
    statement_descriptor_suffix: data.statement_descriptor_suffix ?? null,
    status: 'requires_payment_method',
    transfer_group: null,
  };
}

/** Returns the intent with the result of its latest charge. */
export function applyChargeToIntent(
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
): Stripe.PaymentIntent {
  const next = { ...intent, latest_charge: charge.id, last_payment_error: null };
  if (charge.status === 'failed') {
    return {
      ...next,
      last_payment_error: toLastPaymentError(charge),
      payment_method: null,
      status: 'requires_payment_method',
    };
  }
  const { payment_method } = charge;
  if (charge.status === 'pending') return { ...next, payment_method, status: 'processing' };
  return { ...next, amount_received: charge.amount, payment_method, status: 'succeeded' };
}

function toLastPaymentError(charge: Stripe.Charge): Stripe.PaymentIntent.LastPaymentError {
  return {
    charge: charge.id,
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'The payment was declined.',
    type: 'card_error',
  };
}
