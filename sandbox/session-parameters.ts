/** Says which parameters a new checkout session may have: those of a one-off payment on the hosted page. */
import { unixNow } from './clock.ts';
import { invalidRequest } from './errors.ts';
import type { RawObject } from './form.ts';
import {
  absoluteUrl,
  flag,
  integer,
  list,
  metadata,
  missingParameter,
  object,
  oneOf,
  type Reader,
  text,
} from './parameters.ts';

const HOUR = 3600;
/** The order may have been written a little earlier than the request arrives. */
const CLOCK_SLACK = 60;

const currency: Reader<string> = (raw, param) => {
  const value = text()(raw, param).toLowerCase();
  if (!/^[a-z]{3}$/.test(value)) throw invalidRequest(`'${param}' is not a currency code.`, { param });
  return value;
};

const switchedOff: Reader<boolean> = (raw, param) => {
  if (flag(raw, param)) throw invalidRequest('The sandbox makes no invoices.', { param });
  return false;
};

const storedPrice: Reader<string> = (raw, param) => {
  text()(raw, param);
  throw invalidRequest('The sandbox keeps no prices: use price_data.', { code: 'resource_missing', param });
};

const productData = object(
  { name: text({ max: 250 }) },
  {
    description: text(),
    images: list(absoluteUrl),
    metadata,
    tax_code: text(),
    tax_details: object({}, { performance_location: text(), tax_code: text() }),
    unit_label: text({ max: 12 }),
  },
);

const priceData = object(
  { currency, product_data: productData, unit_amount: integer({ min: 0, max: 99_999_999 }) },
  { tax_behavior: oneOf(['exclusive', 'inclusive', 'unspecified']) },
);

const lineItem = object(
  { quantity: integer({ min: 1, max: 999_999 }) },
  { price_data: priceData, price: storedPrice, metadata },
);

const paymentIntentData = object(
  {},
  {
    capture_method: oneOf(['automatic', 'automatic_async']),
    description: text({ max: 1000 }),
    metadata,
    receipt_email: text({ max: 512 }),
    statement_descriptor: text({ max: 22 }),
    statement_descriptor_suffix: text({ max: 22 }),
  },
);
export type PaymentIntentData = ReturnType<typeof paymentIntentData>;

const sessionParameters = object(
  { line_items: list(lineItem), mode: text(), success_url: absoluteUrl },
  {
    adaptive_pricing: object({}, { enabled: flag }),
    allow_promotion_codes: flag,
    allowed_payment_method_types: list(text()),
    automatic_tax: object({ enabled: flag }, {}),
    billing_address_collection: oneOf(['auto', 'required']),
    cancel_url: absoluteUrl,
    client_reference_id: text({ max: 200 }),
    customer_creation: oneOf(['if_required']),
    customer_email: text({ max: 512 }),
    excluded_payment_method_types: list(text()),
    expires_at: integer(),
    integration_identifier: text(),
    invoice_creation: object({ enabled: switchedOff }, {}),
    locale: text({ max: 6 }),
    metadata,
    origin_context: oneOf(['mobile_app', 'web']),
    payment_intent_data: paymentIntentData,
    payment_method_collection: oneOf(['always', 'if_required']),
    submit_type: oneOf(['auto', 'book', 'donate', 'pay']),
    ui_mode: oneOf(['hosted_page']),
  },
);

export type SessionParameters = ReturnType<typeof sessionParameters>;
export type LineItemParameters = SessionParameters['line_items'][number];

export function readSessionParameters(raw: RawObject): SessionParameters {
  const parameters = sessionParameters(raw, '');
  if (parameters.mode !== 'payment') {
    throw invalidRequest('The sandbox knows only the mode payment.', { param: 'mode' });
  }
  checkExpiry(parameters.expires_at);
  checkLineItems(parameters.line_items);
  return parameters;
}

function checkExpiry(expiresAt: number | undefined): void {
  if (expiresAt === undefined) return;
  const ahead = expiresAt - unixNow();
  if (ahead < HOUR / 2 - CLOCK_SLACK || ahead > 24 * HOUR + CLOCK_SLACK) {
    throw invalidRequest('expires_at must lie 30 minutes to 24 hours ahead.', { param: 'expires_at' });
  }
}

function checkLineItems(items: readonly LineItemParameters[]): void {
  const currencies = new Set<string>();
  let total = 0;
  for (const [index, item] of items.entries()) {
    if (item.price_data === undefined) throw missingParameter(`line_items[${index}][price_data]`);
    currencies.add(item.price_data.currency);
    total += item.price_data.unit_amount * item.quantity;
  }
  if (currencies.size > 1)
    throw invalidRequest('All line items need the same currency.', { param: 'line_items' });
  if (total < 50 || total > 99_999_999) {
    const code = total < 50 ? 'amount_too_small' : 'amount_too_large';
    throw invalidRequest('The total must lie between 50 and 99999999.', { code, param: 'line_items' });
  }
}
