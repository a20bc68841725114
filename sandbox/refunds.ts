/** Gives money back, in whole or in part, and takes that back when the bank cannot deliver it. */
import type { Stripe } from 'stripe';
import { retrieveCharge } from './charges.ts';
import { unixNow } from './clock.ts';
import type { Till } from './context.ts';
import { invalidRequest, noSuch } from './errors.ts';
import { type Cause, emit, NO_REQUEST } from './events.ts';
import type { RawObject } from './form.ts';
import { idOf, newId } from './ids.ts';
import { listObjects, listParameters } from './lists.ts';
import { integer, metadata, missingParameter, object, oneOf, text } from './parameters.ts';
import { retrievePaymentIntent } from './payment-intents.ts';

const createParameters = object(
  {},
  {
    amount: integer({ min: 1 }),
    charge: text(),
    metadata,
    payment_intent: text(),
    reason: oneOf(['duplicate', 'fraudulent', 'requested_by_customer']),
  },
);
type RefundParameters = ReturnType<typeof createParameters>;

/** Statuses in which the bank holds the money; a warning, and a dispute that was won, leaves it with the shop. */
const CHARGED_BACK = /^(appeal_|needs_response$|under_review$|lost$)/;

export function createRefund(till: Till, raw: RawObject, cause: Cause): Stripe.Refund {
  const parameters = createParameters(raw, '');
  const charge = chargeOf(till, parameters);
  const left = charge.amount - charge.amount_refunded;
  const amount = parameters.amount ?? left;
  refuseUnrefundable(till, charge, amount, left);
  const refund = buildRefund(charge, amount, parameters);
  const refunded = withRefunded(charge, charge.amount_refunded + amount);
  till.state.put(refund);
  till.state.put(refunded);
  emit(till, 'refund.created', refund, { cause });
  const previous = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  emit<'charge'>(till, 'charge.refunded', refunded, { cause, previous });
  const failsAfter = till.faults.takeForRefund();
  if (failsAfter !== undefined) till.schedule.add('fail_refund', refund.id, Date.now() + failsAfter);
  return refund;
}

export function retrieveRefund(till: Till, id: string): Stripe.Refund {
  const refund = till.state.get('refund', id);
  if (refund === undefined) throw noSuch('refund', id);
  return refund;
}

const listRefundParameters = object({}, { ...listParameters, charge: text(), payment_intent: text() });

export function listRefunds(till: Till, raw: RawObject): Stripe.ApiList<Stripe.Refund> {
  const { charge, payment_intent, ...page } = listRefundParameters(raw, '');
  return listObjects(till.state, 'refund', '/v1/refunds', { page, equal: { charge, payment_intent } });
}

/** The buyer's bank sends the money back to the merchant. */
export function failRefund(till: Till, id: string): void {
  const before = retrieveRefund(till, id);
  const charge = retrieveCharge(till, idOf(before.charge));
  const refund: Stripe.Refund = {
    ...before,
    failure_balance_transaction: newId('txn_'),
    failure_reason: 'lost_or_stolen_card',
    status: 'failed',
  };
  till.state.put(refund);
  till.state.put(withRefunded(charge, charge.amount_refunded - refund.amount));
  const context = { cause: NO_REQUEST, previous: { status: before.status } };
  emit<'refund'>(till, 'refund.updated', refund, context);
  emit<'refund'>(till, 'refund.failed', refund, context);
  emit<'refund'>(till, 'charge.refund.updated', refund, context);
}

function chargeOf(till: Till, parameters: RefundParameters): Stripe.Charge {
  if (parameters.charge !== undefined) return retrieveCharge(till, parameters.charge);
  if (parameters.payment_intent === undefined) throw missingParameter('payment_intent');
  const intent = retrievePaymentIntent(till, parameters.payment_intent);
  if (intent.status === 'succeeded') return retrieveCharge(till, idOf(intent.latest_charge));
  const message = 'The payment intent has no successful charge to refund.';
  throw invalidRequest(message, { code: 'payment_intent_unexpected_state', param: 'payment_intent' });
}

function refuseUnrefundable(till: Till, charge: Stripe.Charge, amount: number, left: number): void {
  if (charge.status !== 'succeeded') {
    throw invalidRequest('The charge did not succeed.', { code: 'charge_not_refundable', param: 'charge' });
  }
  if (charge.refunded) {
    throw invalidRequest('The charge is refunded already.', {
      code: 'charge_already_refunded',
      param: 'charge',
    });
  }
  const disputes = listObjects(till.state, 'dispute', '', { page: {}, equal: { charge: charge.id } }).data;
  if (disputes.some((dispute) => CHARGED_BACK.test(dispute.status))) {
    throw invalidRequest('The charge has been charged back.', { code: 'charge_disputed', param: 'charge' });
  }
  if (amount > left)
    throw invalidRequest(`Only ${left} of the charge is left to refund.`, { param: 'amount' });
}

function withRefunded(charge: Stripe.Charge, amount_refunded: number): Stripe.Charge {
  return { ...charge, amount_refunded, refunded: amount_refunded === charge.amount };
}

function buildRefund(charge: Stripe.Charge, amount: number, parameters: RefundParameters): Stripe.Refund {
  return {
    id: newId('re_'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn_'),
    charge: charge.id,
    created: unixNow(),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    metadata: parameters.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: parameters.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
