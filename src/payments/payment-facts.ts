/** The provider's facts about a payment, and the order state that follows from them. */
import type { Stripe } from 'stripe';
import type { PaymentState } from '#store/column-values.ts';
import type { Order } from '#store/orders.ts';
import type { PaymentGateway } from './gateway.ts';

type DisputeOutcome = 'none' | 'open' | 'won' | 'lost';

export interface PaymentFacts {
  /** The order id that we stored in the session. */
  readonly orderId: string | null;
  readonly mode: string;
  readonly livemode: boolean;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly status: Stripe.Checkout.Session.Status | null;
  readonly paid: boolean;
  /** A delayed payment that has neither succeeded nor failed yet. */
  readonly processing: boolean;
  readonly fullyRefunded: boolean;
  readonly dispute: DisputeOutcome;
}

export async function fetchPaymentFacts(
  gateway: PaymentGateway,
  sessionId: string,
): Promise<PaymentFacts | null> {
  const session = await gateway.findSession(sessionId);
  if (!session) return null;
  const intent = toExpandedObject(session.payment_intent);
  const charge = toExpandedObject(intent?.latest_charge ?? null);
  return {
    orderId: session.client_reference_id,
    mode: session.mode,
    livemode: session.livemode,
    amount: session.amount_total,
    currency: session.currency,
    status: session.status,
    paid: session.payment_status !== 'unpaid',
    // A payment that waits for a bank transfer or for cash may still succeed.
    processing:
      intent !== null && intent.status !== 'requires_payment_method' && intent.status !== 'canceled',
    fullyRefunded: charge?.refunded ?? false,
    dispute: charge?.disputed && intent ? toDisputeOutcome(await gateway.listDisputes(intent.id)) : 'none',
  };
}

/** A payment can be disputed more than once; the worst outcome counts. */
function toDisputeOutcome(disputes: readonly Stripe.Dispute[]): DisputeOutcome {
  const outcomes = disputes.map(({ status }): DisputeOutcome => {
    if (status === 'lost') return 'lost';
    return status === 'won' || status === 'prevented' || status === 'warning_closed' ? 'won' : 'open';
  });
  return (['lost', 'open', 'won'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'none';
}

type OrderTerms = Pick<Order, 'amount' | 'currency' | 'livemode'>;

export function toPaymentState(facts: PaymentFacts, order: OrderTerms): PaymentState {
  if (!matchesOrder(facts, order)) return 'quarantined';
  if (facts.status === 'expired') return 'expired';
  if (facts.status !== 'complete') return 'pending';
  if (!facts.paid) return facts.processing ? 'processing' : 'failed';
  if (facts.dispute === 'lost') return 'charged_back';
  if (facts.dispute === 'open') return 'disputed';
  return facts.fullyRefunded ? 'refunded' : 'paid';
}

function matchesOrder(facts: PaymentFacts, order: OrderTerms): boolean {
  return (
    facts.mode === 'payment' &&
    facts.livemode === (order.livemode === 1) &&
    facts.amount === order.amount &&
    facts.currency === order.currency
  );
}

/** States that may follow each state, directly or after missed events; any other change is a contradiction. */
const laterStates: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  pending: ['processing', 'paid', 'failed', 'expired', 'refunded', 'disputed', 'charged_back', 'quarantined'],
  processing: ['paid', 'failed', 'refunded', 'disputed', 'charged_back', 'quarantined'],
  paid: ['refunded', 'disputed', 'charged_back', 'quarantined'],
  refunded: ['paid', 'disputed', 'charged_back', 'quarantined'],
  disputed: ['paid', 'refunded', 'charged_back', 'quarantined'],
  charged_back: ['paid', 'refunded', 'disputed', 'quarantined'],
  failed: ['processing', 'paid', 'refunded', 'disputed', 'charged_back', 'quarantined'],
  expired: ['quarantined'],
  quarantined: [],
};

export function isPaymentTransitionAllowed(from: PaymentState, to: PaymentState): boolean {
  return laterStates[from].includes(to);
}

function toExpandedObject<Kind extends object>(value: string | Kind | null): Kind | null {
  return typeof value === 'object' ? value : null;
}
