/** Creates disputes of charges, as the buyer's bank does, and changes their status. */
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { ProviderApiError } from './errors.ts';
import { emitStripeEvent } from './events.ts';
import { generateStripeId, getUnixSeconds, toObjectId } from './state.ts';

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
