/** Creates disputes of charges, as the buyer's bank does, and changes their status. */
import type { Stripe } from 'stripe';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { createInvalidRequestError } from './errors.ts';
import { emitStripeEvent } from './events.ts';
import { generateStripeId, getUnixSeconds, toObjectId } from './object-values.ts';
import { describeObject, describeText, parseParameters, type RawParameters } from './parameters.ts';
import { listStripeObjects, Page } from './state.ts';

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
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

const FINAL_STATUSES: ReadonlySet<DisputeStatus> = new Set(['lost', 'prevented', 'warning_closed', 'won']);
/** Warnings and prevented disputes move no money. */
const MOVES_NO_MONEY = /^(warning_|prevented)/;

export function createDispute(
  sandbox: SandboxContext,
  paymentIntent: string,
  status: DisputeStatus,
): Stripe.Dispute {
  return sandbox.state.runInTransaction(() => {
    const intent = sandbox.state.requireObject('payment_intent', paymentIntent);
    if (intent.status !== 'succeeded')
      throw createInvalidRequestError('Only a payment that succeeded can be disputed.');
    const charge = sandbox.state.requireObject('charge', toObjectId(intent.latest_charge));
    const withdrawn = !MOVES_NO_MONEY.test(status);
    const dispute = buildDispute(charge, status);
    sandbox.state.storeObject(dispute);
    sandbox.state.storeObject({ ...charge, disputed: true });
    emitStripeEvent(sandbox, 'charge.dispute.created', dispute);
    if (withdrawn) emitStripeEvent(sandbox, 'charge.dispute.funds_withdrawn', dispute);
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

const ListParameters = describeObject({ ...Page, payment_intent: Type.Optional(describeText()) });

export function listDisputes(sandbox: SandboxContext, raw: RawParameters): Stripe.ApiList<Stripe.Dispute> {
  return listStripeObjects(sandbox.state, 'dispute', '/v1/disputes', parseParameters(ListParameters, raw));
}

function buildDispute(charge: Stripe.Charge, status: DisputeStatus): Stripe.Dispute {
  return {
    id: generateStripeId('du_'),
    object: 'dispute',
    amount: charge.amount,
    charge: charge.id,
    created: getUnixSeconds(),
    currency: charge.currency,
    livemode: false,
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status,
  } satisfies Partial<Stripe.Dispute> as Stripe.Dispute;
}
