/** Creates, finds, lists and expires checkout sessions: those of a one-off payment on the hosted page. */
import type { Stripe } from 'stripe';
import { type Static, Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { ProviderApiError } from './errors.ts';
import { emitStripeEvent } from './events.ts';
import {
  describeInteger,
  describeObject,
  describeText,
  Metadata,
  parseParameters,
  type RawParameters,
  Url,
} from './parameters.ts';
import { generateStripeId, getUnixSeconds } from './state.ts';

const LineItem = describeObject({
  quantity: describeInteger({ minimum: 1, maximum: 999_999 }),
  price_data: describeObject({
    currency: Type.String({ pattern: '^[a-z]{3}$' }),
    product_data: describeObject({ name: describeText(250), description: Type.Optional(describeText()) }),
    unit_amount: describeInteger({ minimum: 0, maximum: 99_999_999 }),
  }),
});

const SessionParameters = describeObject({
  line_items: Type.Array(LineItem),
  mode: Type.Enum(['payment']),
  success_url: Url,
  adaptive_pricing: Type.Optional(describeObject({ enabled: Type.Boolean() })),
  allowed_payment_method_types: Type.Optional(Type.Array(describeText())),
  cancel_url: Type.Optional(Url),
  client_reference_id: Type.Optional(describeText(200)),
  customer_creation: Type.Optional(Type.Enum(['if_required'])),
  expires_at: Type.Optional(describeInteger()),
  locale: Type.Optional(describeText(6)),
  metadata: Type.Optional(Metadata),
  payment_intent_data: Type.Optional(
    describeObject({
      metadata: Type.Optional(Metadata),
      statement_descriptor_suffix: Type.Optional(describeText(22)),
    }),
  ),
});
type SessionParameters = Static<typeof SessionParameters>;

/** What the pay page shows of the order. */
export interface OrderItem {
  readonly name: string;
  readonly quantity: number;
  readonly amount: number;
}

/** What the sandbox stores besides the public session. */
export interface SessionDetail {
  readonly items: readonly OrderItem[];
  readonly payment_intent_data: { readonly metadata?: Stripe.Metadata };
}

const HOUR = 3600;
/** The service may have computed the expiry a little before the request arrives. */
const CLOCK_SLACK = 60;

export function createSession(sandbox: SandboxContext, raw: RawParameters): Stripe.Checkout.Session {
  const parameters = parseParameters(SessionParameters, raw);
  checkExpiry(parameters.expires_at);
  const items = parameters.line_items.map(({ price_data, quantity }) => ({
    name: price_data.product_data.name,
    quantity,
    amount: price_data.unit_amount * quantity,
  }));
  const session = buildSession(sandbox, parameters, items);
  const detail: SessionDetail = { items, payment_intent_data: parameters.payment_intent_data ?? {} };
  sandbox.state.storeObject(session, detail);
  sandbox.schedule.addTask('expire_session', session.id, session.expires_at * 1000);
  return session;
}

/** Reads the parameters of the session that its public object does not contain. */
export function readSessionDetail(sandbox: SandboxContext, id: string): SessionDetail {
  return sandbox.state.readDetail(id) as SessionDetail;
}

export function expireSession(sandbox: SandboxContext, id: string): Stripe.Checkout.Session {
  const session = sandbox.state.requireObject('checkout.session', id);
  if (session.status !== 'open')
    throw new ProviderApiError(400, `The session is ${session.status}; only an open one can be expired.`);
  const expired: Stripe.Checkout.Session = { ...session, status: 'expired', url: null };
  sandbox.state.storeObject(expired);
  emitStripeEvent(sandbox, 'checkout.session.expired', expired);
  return expired;
}

function checkExpiry(expiresAt: number | undefined): void {
  if (expiresAt === undefined) return;
  const ahead = expiresAt - getUnixSeconds();
  if (ahead < HOUR / 2 - CLOCK_SLACK || ahead > 24 * HOUR + CLOCK_SLACK)
    throw new ProviderApiError(400, 'expires_at must lie 30 minutes to 24 hours ahead.');
}

function checkTotal(total: number, currencies: ReadonlySet<string>): void {
  if (currencies.size > 1) throw new ProviderApiError(400, 'All line items need the same currency.');
  if (total < 50 || total > 99_999_999)
    throw new ProviderApiError(400, 'The total must lie between 50 and 99999999.');
}

/** Like all objects here, it has only the fields that the service or the sandbox reads, not all of the provider's. */
function buildSession(
  sandbox: SandboxContext,
  parameters: SessionParameters,
  items: readonly OrderItem[],
): Stripe.Checkout.Session {
  const id = generateStripeId('cs_test_');
  const created = getUnixSeconds();
  const total = items.reduce((sum, { amount }) => sum + amount, 0);
  const currencies = new Set(parameters.line_items.map(({ price_data }) => price_data.currency));
  checkTotal(total, currencies);
  return {
    id,
    object: 'checkout.session',
    allowed_payment_method_types: parameters.allowed_payment_method_types ?? null,
    amount_total: total,
    cancel_url: parameters.cancel_url ?? null,
    client_reference_id: parameters.client_reference_id ?? null,
    created,
    currency: [...currencies][0] ?? null,
    expires_at: parameters.expires_at ?? created + 24 * HOUR,
    livemode: false,
    customer_details: null,
    locale: parameters.locale ?? null,
    metadata: parameters.metadata ?? {},
    mode: 'payment',
    // The provider creates the intent at the first attempt to pay, not with the session.
    payment_intent: null,
    payment_status: 'unpaid',
    status: 'open',
    success_url: parameters.success_url,
    url: `${sandbox.settings.origin}/c/pay/${id}`,
  } satisfies Partial<Stripe.Checkout.Session> as Stripe.Checkout.Session;
}
