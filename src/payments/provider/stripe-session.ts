/** A checkout session of Stripe: built from what is bought, and read as facts about its payment. */
import type { Stripe } from 'stripe';
import type { PaymentFacts, SessionRequest } from '../payment-provider.ts';

/** Stripe replaces it with the id of the session. */
const SESSION_PLACEHOLDER = '{CHECKOUT_SESSION_ID}';
/** Stripe refuses a session with any other locale. */
const LOCALES =
  'auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW'.split(
    ' ',
  );

export function buildSessionParameters(request: SessionRequest): Stripe.Checkout.SessionCreateParams {
  const { orderId, amount, currency, name, description, locale } = request;
  const metadata = { order_id: orderId };
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency, unit_amount: amount, product_data: { name, description } },
      },
    ],
    allowed_payment_method_types: ['card'],
    adaptive_pricing: { enabled: false },
    customer_creation: 'if_required',
    client_reference_id: orderId,
    metadata,
    payment_intent_data: { metadata, statement_descriptor_suffix: 'ONLINE RESEARCH' },
    success_url: request.buildSuccessUrl(SESSION_PLACEHOLDER),
    cancel_url: request.cancelUrl,
    expires_at: Math.floor(request.expiresAt / 1_000),
    ...(locale && { locale: LOCALES.includes(locale) ? locale : 'auto' }),
  };
}

/** The session has its payment and charge expanded; disputes are requested only if there is one. */
export async function toPaymentFacts(
  session: Stripe.Checkout.Session,
  listDisputes: (paymentIntent: string) => Promise<readonly Stripe.Dispute[]>,
): Promise<PaymentFacts> {
  const intent = toExpandedObject(session.payment_intent);
  const charge = toExpandedObject(intent?.latest_charge ?? null);
  return {
    orderId: session.client_reference_id,
    mode: session.mode,
    livemode: session.livemode,
    amount: session.amount_total,
    currency: session.currency,
    status: (['complete', 'expired'] as const).find((known) => known === session.status) ?? 'open',
    paid: session.payment_status !== 'unpaid',
    // A payment that waits for a bank transfer or for cash may still succeed.
    processing:
      intent !== null && intent.status !== 'requires_payment_method' && intent.status !== 'canceled',
    fullyRefunded: charge?.refunded ?? false,
    dispute: charge?.disputed && intent ? findWorstOutcome(await listDisputes(intent.id)) : 'none',
    payer: { email: session.customer_details?.email ?? null, locale: session.locale },
  };
}

function findWorstOutcome(disputes: readonly Stripe.Dispute[]): PaymentFacts['dispute'] {
  const outcomes = disputes.map(({ status }) => {
    if (status === 'lost') return 'lost';
    return status === 'won' || status === 'prevented' || status === 'warning_closed' ? 'won' : 'open';
  });
  return (['lost', 'open', 'won'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'none';
}

function toExpandedObject<Kind extends object>(value: string | Kind | null): Kind | null {
  return typeof value === 'object' ? value : null;
}
