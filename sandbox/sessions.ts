/** Creates, finds, lists and expires checkout sessions. */
import type { Stripe } from 'stripe';
import { getUnixSeconds } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { createInvalidRequestError, createMissingObjectError } from './errors.ts';
import { type EventCause, emitStripeEvent } from './events.ts';
import type { RawParameters } from './form.ts';
import { generateStripeId } from './ids.ts';
import { buildLineItem } from './line-items.ts';
import { listStripeObjects, paginationParsers } from './lists.ts';
import { createEnumParser, createObjectParser, createTextParser } from './parameters.ts';
import {
  type PaymentIntentData,
  parseSessionParameters,
  type SessionParameters,
} from './session-parameters.ts';

/** What the sandbox stores besides the public session. */
export interface SessionDetail {
  readonly line_items: Stripe.LineItem[];
  readonly payment_intent_data: PaymentIntentData;
}

const DAY = 86_400;

export function createSession(sandbox: SandboxContext, raw: RawParameters): Stripe.Checkout.Session {
  const parameters = parseSessionParameters(raw);
  const lineItems = parameters.line_items.map(buildLineItem);
  const session = buildSession(sandbox, parameters, lineItems);
  const detail: SessionDetail = {
    line_items: lineItems,
    payment_intent_data: parameters.payment_intent_data ?? {},
  };
  sandbox.state.storeObject(session);
  sandbox.state.storeDetail(session.id, detail);
  sandbox.schedule.addTask('expire_session', session.id, session.expires_at * 1000);
  return session;
}

export function retrieveSession(sandbox: SandboxContext, id: string): Stripe.Checkout.Session {
  const session = sandbox.state.findObject('checkout.session', id);
  if (session === undefined) throw createMissingObjectError('checkout.session', id, 'session');
  return session;
}

/** Reads the parameters of the session that its public object does not contain. */
export function readSessionDetail(sandbox: SandboxContext, id: string): SessionDetail {
  return sandbox.state.readDetail(id) as SessionDetail;
}

const parseListParameters = createObjectParser(
  {},
  {
    ...paginationParsers,
    status: createEnumParser(['open', 'complete', 'expired']),
    payment_intent: createTextParser(),
  },
);

export function listSessions(
  sandbox: SandboxContext,
  raw: RawParameters,
): Stripe.ApiList<Stripe.Checkout.Session> {
  const { status, payment_intent, ...page } = parseListParameters(raw, '');
  const equal = { status, payment_intent };
  return listStripeObjects(sandbox.state, 'checkout.session', '/v1/checkout/sessions', { page, equal });
}

export function listLineItems(
  sandbox: SandboxContext,
  id: string,
  raw: RawParameters = {},
): Stripe.ApiList<Stripe.LineItem> {
  const { limit = 10, starting_after, ending_before } = createObjectParser({}, paginationParsers)(raw, '');
  const { id: session } = retrieveSession(sandbox, id);
  const all = readSessionDetail(sandbox, session).line_items;
  const after = starting_after === undefined ? 0 : all.findIndex((item) => item.id === starting_after) + 1;
  const end = ending_before === undefined ? all.length : all.findIndex((item) => item.id === ending_before);
  const data =
    ending_before === undefined ? all.slice(after, after + limit) : all.slice(Math.max(end - limit, 0), end);
  const has_more = ending_before === undefined ? after + limit < all.length : end > limit;
  return { object: 'list', data, has_more, url: `/v1/checkout/sessions/${session}/line_items` };
}

export function expireSession(
  sandbox: SandboxContext,
  id: string,
  cause: EventCause,
): Stripe.Checkout.Session {
  const session = retrieveSession(sandbox, id);
  if (session.status !== 'open') {
    throw createInvalidRequestError(`The session is ${session.status}; only an open one can be expired.`, {
      param: 'session',
    });
  }
  const expired: Stripe.Checkout.Session = { ...session, status: 'expired', url: null };
  sandbox.state.storeObject(expired);
  emitStripeEvent(sandbox, 'checkout.session.expired', expired, { cause });
  return expired;
}

function buildSession(
  sandbox: SandboxContext,
  parameters: SessionParameters,
  lineItems: readonly Stripe.LineItem[],
): Stripe.Checkout.Session {
  const id = generateStripeId('cs_test_');
  const created = getUnixSeconds();
  const total = lineItems.reduce((sum, item) => sum + item.amount_total, 0);
  return {
    id,
    object: 'checkout.session',
    ...toSessionFields(parameters),
    ...UNUSED_FIELDS,
    amount_subtotal: total,
    amount_total: total,
    created,
    currency: lineItems[0]?.currency ?? null,
    expires_at: parameters.expires_at ?? created + DAY,
    livemode: false,
    mode: 'payment',
    // The provider creates the intent at the first attempt to pay, not with the session.
    payment_intent: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_status: 'unpaid',
    status: 'open',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${sandbox.settings.origin}/c/pay/${id}`,
  };
}

function toSessionFields(parameters: SessionParameters) {
  const taxed = parameters.automatic_tax?.enabled ?? false;
  const excluded = parameters.excluded_payment_method_types;
  return {
    adaptive_pricing: { enabled: parameters.adaptive_pricing?.enabled ?? true },
    allow_promotion_codes: parameters.allow_promotion_codes ?? null,
    allowed_payment_method_types: parameters.allowed_payment_method_types ?? null,
    automatic_tax: {
      enabled: taxed,
      liability: taxed ? { type: 'self' } : null,
      provider: taxed ? 'stripe' : null,
      status: taxed ? 'complete' : null,
    },
    billing_address_collection: parameters.billing_address_collection ?? null,
    cancel_url: parameters.cancel_url ?? null,
    client_reference_id: parameters.client_reference_id ?? null,
    customer_creation: parameters.customer_creation ?? 'if_required',
    customer_details:
      parameters.customer_email === undefined ? null : buildCustomerDetails(parameters.customer_email),
    customer_email: parameters.customer_email ?? null,
    ...(excluded && { excluded_payment_method_types: excluded }),
    integration_identifier: parameters.integration_identifier ?? null,
    invoice_creation: { enabled: false, invoice_data: NO_INVOICE_DATA },
    locale: parameters.locale ?? null,
    metadata: parameters.metadata ?? {},
    origin_context: parameters.origin_context ?? null,
    payment_method_collection: parameters.payment_method_collection ?? 'if_required',
    payment_method_types: parameters.allowed_payment_method_types ?? ['card'],
    submit_type: parameters.submit_type ?? null,
    success_url: parameters.success_url,
  } satisfies Partial<Stripe.Checkout.Session>;
}

export function buildCustomerDetails(email: string): Stripe.Checkout.Session.CustomerDetails {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: null,
  };
}

const NO_INVOICE_DATA: Stripe.Checkout.Session.InvoiceCreation.InvoiceData = {
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: null,
  metadata: {},
  rendering_options: null,
};

/** The fields that a one-off hosted payment leaves empty. */
const UNUSED_FIELDS = {
  after_expiration: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer: null,
  customer_account: null,
  discounts: [],
  invoice: null,
  managed_payments: { enabled: false },
  payment_link: null,
  payment_method_configuration_details: null,
  permissions: null,
  phone_number_collection: { enabled: false },
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  subscription: null,
  wallet_options: null,
} satisfies Partial<Stripe.Checkout.Session>;
