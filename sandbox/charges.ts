/** Builds charges: single attempts to collect a payment intent. */
import type { Stripe } from 'stripe';
import { getUnixSeconds } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { createMissingObjectError } from './errors.ts';
import { generateStripeId } from './ids.ts';

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
    payment_method_details: buyer.method === 'card' ? buildCardDetails(intent.amount) : buildBankDetails(),
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
  if (status === 'failed') {
    return {
      ...charge,
      failure_code: 'card_declined',
      failure_message: 'The payment was declined.',
      outcome: {
        ...APPROVED,
        network_status: 'declined_by_network',
        reason: 'generic_decline',
        type: 'issuer_declined',
      },
      status,
    };
  }
  return {
    ...charge,
    amount_captured: charge.amount,
    balance_transaction: generateStripeId('txn_'),
    captured: true,
    outcome: APPROVED,
    paid: true,
    status,
  };
}

const APPROVED: Stripe.Charge.Outcome = {
  advice_code: null,
  network_advice_code: null,
  network_decline_code: null,
  network_status: 'approved_by_network',
  reason: null,
  risk_level: 'normal',
  risk_score: 10,
  seller_message: null,
  type: 'authorized',
};

function buildCardDetails(amount: number): Stripe.Charge.PaymentMethodDetails {
  return {
    card: {
      amount_authorized: amount,
      authorization_code: null,
      brand: 'visa',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      electronic_commerce_indicator: null,
      exp_month: 12,
      exp_year: new Date().getUTCFullYear() + 3,
      funding: 'credit',
      installments: null,
      last4: '4242',
      mandate: null,
      network: 'visa',
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
    type: 'card',
  };
}

function buildBankDetails(): Stripe.Charge.PaymentMethodDetails {
  return {
    type: 'us_bank_account',
    us_bank_account: {
      account_holder_type: 'individual',
      account_type: 'checking',
      bank_name: 'Sandbox Bank',
      fingerprint: null,
      last4: '6789',
      payment_reference: null,
      routing_number: null,
    },
  };
}
