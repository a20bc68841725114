/** The state of an order that follows from the provider's facts about its payment. */

import type { Order } from '#store/orders/orders.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import type { PaymentFacts } from './payment-provider.ts';

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
