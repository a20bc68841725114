/** Money that goes back: refunds, those that the buyer's bank returns, and disputes, which the bank opens. */
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
  const disputes = sandbox.state.listObjects('dispute', { charge: charge.id }, 10);
  if (disputes.some((dispute) => CHARGED_BACK.test(dispute.status)))
    throw new ProviderApiError(400, 'The charge has been charged back.');
  if (refundable === 0 || amount > refundable)
    throw new ProviderApiError(400, `Only ${refundable} of the charge is left to refund.`);
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
  const failsAfter = sandbox.faults.refundFailsAfterMs;
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

function withRefundedAmount(charge: Stripe.Charge, amount_refunded: number): Stripe.Charge {
  return { ...charge, amount_refunded, refunded: amount_refunded === charge.amount };
}

export const DISPUTE_STATUSES = [
  'appeal_needs_response',
  'appeal_under_review',
  'lost',
  'needs_response',
  'prevented',
  'under_review',
  'warning_closed',
  'warning_needs_response',
  'warning_under_review',
  'won',
] as const;
type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

const FINAL_STATUSES: ReadonlySet<DisputeStatus> = new Set(['lost', 'prevented', 'warning_closed', 'won']);
/** Warnings and prevented disputes move no money. */
const MOVES_NO_MONEY = /^(warning_|prevented)/;

export function createDispute(
  sandbox: SandboxContext,
  paymentIntent: string,
  status: DisputeStatus,
): Stripe.Dispute {
  const { state } = sandbox;
  return state.runInTransaction(() => {
    const intent = state.requireObject('payment_intent', paymentIntent);
    if (intent.status !== 'succeeded')
      throw new ProviderApiError(400, 'Only a payment that succeeded can be disputed.');
    const charge = state.requireObject('charge', toObjectId(intent.latest_charge));
    const dispute = {
      id: generateStripeId('du_'),
      object: 'dispute',
      amount: charge.amount,
      charge: charge.id,
      created: getUnixSeconds(),
      currency: charge.currency,
      livemode: false,
      payment_intent: charge.payment_intent,
      status,
    } satisfies Partial<Stripe.Dispute> as Stripe.Dispute;
    state.storeObject(dispute);
    state.storeObject({ ...charge, disputed: true });
    emitStripeEvent(sandbox, 'charge.dispute.created', dispute);
    if (!MOVES_NO_MONEY.test(status)) emitStripeEvent(sandbox, 'charge.dispute.funds_withdrawn', dispute);
    return dispute;
  });
}

/** A final status closes the dispute; winning it returns the money. */
export function updateDisputeStatus(
  sandbox: SandboxContext,
  id: string,
  status: DisputeStatus,
): Stripe.Dispute {
  return sandbox.state.runInTransaction(() => {
    const previous = sandbox.state.requireObject('dispute', id);
    const dispute: Stripe.Dispute = { ...previous, status };
    const reinstated = status === 'won' && previous.status !== 'won' && !MOVES_NO_MONEY.test(previous.status);
    sandbox.state.storeObject(dispute);
    const type = FINAL_STATUSES.has(status) ? 'charge.dispute.closed' : 'charge.dispute.updated';
    emitStripeEvent(sandbox, type, dispute);
    if (reinstated) emitStripeEvent(sandbox, 'charge.dispute.funds_reinstated', dispute);
    return dispute;
  });
}
