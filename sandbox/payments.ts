/** Payment intents, the amount that a session collects and its state, and charges, single attempts to collect it. */
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { createMissingObjectError } from './errors.ts';
import { generateStripeId, getUnixSeconds } from './object-values.ts';
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
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${generateStripeId('pm_').slice('pm_'.length)}`,
    confirmation_method: 'automatic',
    created: getUnixSeconds(),
    currency: session.currency ?? 'usd',
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
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
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
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
  const next = { ...intent, latest_charge: charge.id };
  if (charge.status === 'failed') return { ...next, payment_method: null, status: 'requires_payment_method' };
  const { payment_method } = charge;
  if (charge.status === 'pending') return { ...next, payment_method, status: 'processing' };
  return { ...next, amount_received: charge.amount, payment_method, status: 'succeeded' };
}

export type ChargeMethod = 'card' | 'us_bank_account';
export type ChargeStatus = 'succeeded' | 'pending' | 'failed';

export function retrieveCharge(sandbox: SandboxContext, id: string): Stripe.Charge {
  const charge = sandbox.state.findObject('charge', id);
  if (charge === undefined) throw createMissingObjectError('charge', id, 'charge');
  return charge;
}

export function buildCharge(
  intent: Stripe.PaymentIntent,
  buyer: { readonly email: string; readonly method: ChargeMethod },
  status: ChargeStatus,
): Stripe.Charge {
  const charge: Stripe.Charge = {
    id: generateStripeId(buyer.method === 'card' ? 'ch_' : 'py_'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: buyer.email, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: intent.statement_descriptor,
    captured: false,
    created: getUnixSeconds(),
    currency: intent.currency,
    customer: null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: false,
    payment_intent: intent.id,
    payment_method: generateStripeId('pm_'),
    payment_method_details: null,
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: 'pending',
    transfer_data: null,
    transfer_group: null,
  };
  return concludeCharge(charge, status);
}

/** Returns the charge with the bank's decision. */
export function concludeCharge(charge: Stripe.Charge, status: ChargeStatus): Stripe.Charge {
  if (status === 'pending') return charge;
  if (status === 'failed') return { ...charge, failure_code: 'card_declined', status };
  return { ...charge, amount_captured: charge.amount, captured: true, paid: true, status };
}
