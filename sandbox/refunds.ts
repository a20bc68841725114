/** Creates full and partial refunds, and reverses a refund that the buyer's bank returns. */
import type { Stripe } from 'stripe';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { ProviderApiError } from './errors.ts';
import { emitStripeEvent } from './events.ts';
import {
  describeInteger,
  describeObject,
  describeText,
  parseParameters,
  type RawParameters,
} from './parameters.ts';
import { generateStripeId, getUnixSeconds, toObjectId } from './state.ts';

const RefundParameters = describeObject({
  amount: Type.Optional(describeInteger({ minimum: 1 })),
  payment_intent: describeText(),
});

/** Dispute statuses in which the bank holds the money; after a warning or a won dispute the shop has it. */
const CHARGED_BACK = /^(appeal_|needs_response$|under_review$|lost$)/;

export function createRefund(sandbox: SandboxContext, raw: RawParameters): Stripe.Refund {
  const parameters = parseParameters(RefundParameters, raw);
  const charge = requireCharge(sandbox, parameters.payment_intent);
  const refundable = charge.amount - charge.amount_refunded;
  const { amount = refundable } = parameters;
  refuseUnrefundable(sandbox, charge, amount, refundable);
  const refund = {
    id: generateStripeId('re_'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: getUnixSeconds(),
    currency: charge.currency,
    metadata: {},
    payment_intent: charge.payment_intent,
    status: 'succeeded',
  } satisfies Partial<Stripe.Refund> as Stripe.Refund;
  const refunded = withRefundedAmount(charge, charge.amount_refunded + amount);
  sandbox.state.storeObject(refund);
  sandbox.state.storeObject(refunded);
  emitStripeEvent(sandbox, 'refund.created', refund);
  emitStripeEvent(sandbox, 'charge.refunded', refunded);
  const failsAfter = sandbox.faults.consumeRefundFault();
  if (failsAfter !== undefined) sandbox.schedule.addTask('fail_refund', refund.id, Date.now() + failsAfter);
  return refund;
}

/** Reverses a refund: the buyer's bank returned the money to the merchant. */
export function failRefund(sandbox: SandboxContext, id: string): void {
  const previous = sandbox.state.requireObject('refund', id);
  const charge = sandbox.state.requireObject('charge', toObjectId(previous.charge));
  const refund: Stripe.Refund = { ...previous, status: 'failed' };
  sandbox.state.storeObject(refund);
  sandbox.state.storeObject(withRefundedAmount(charge, charge.amount_refunded - refund.amount));
  emitStripeEvent(sandbox, 'refund.updated', refund);
  emitStripeEvent(sandbox, 'refund.failed', refund);
  emitStripeEvent(sandbox, 'charge.refund.updated', refund);
}

function requireCharge(sandbox: SandboxContext, paymentIntent: string): Stripe.Charge {
  const intent = sandbox.state.requireObject('payment_intent', paymentIntent);
  if (intent.status === 'succeeded')
    return sandbox.state.requireObject('charge', toObjectId(intent.latest_charge));
  throw new ProviderApiError(400, 'The payment intent has no successful charge to refund.');
}

function refuseUnrefundable(
  sandbox: SandboxContext,
  charge: Stripe.Charge,
  amount: number,
  refundable: number,
): void {
  if (charge.refunded) throw new ProviderApiError(400, 'The charge is refunded already.');
  const disputes = sandbox.state.listObjects('dispute', { charge: charge.id }, 10);
  if (disputes.some((dispute) => CHARGED_BACK.test(dispute.status)))
    throw new ProviderApiError(400, 'The charge has been charged back.');
  if (amount > refundable)
    throw new ProviderApiError(400, `Only ${refundable} of the charge is left to refund.`);
}

function withRefundedAmount(charge: Stripe.Charge, amount_refunded: number): Stripe.Charge {
  return { ...charge, amount_refunded, refunded: amount_refunded === charge.amount };
}
