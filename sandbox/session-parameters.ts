/** Parses the parameters of a new checkout session: those of a one-off payment on the hosted page. */
import { getUnixSeconds } from './clock.ts';
import { createInvalidRequestError } from './errors.ts';
import type { RawParameters } from './form.ts';
import {
  createEnumParser,
  createIntegerParser,
  createListParser,
  createMissingParameterError,
  createObjectParser,
  createTextParser,
  type ParameterParser,
  parseAbsoluteUrl,
  parseFlag,
  parseMetadata,
} from './parameters.ts';

const HOUR = 3600;
/** The service may have computed the expiry a little before the request arrives. */
const CLOCK_SLACK = 60;

const parseCurrency: ParameterParser<string> = (raw, param) => {
  const value = createTextParser()(raw, param).toLowerCase();
  if (!/^[a-z]{3}$/.test(value))
    throw createInvalidRequestError(`'${param}' is not a currency code.`, { param });
  return value;
};

const parseDisabledFlag: ParameterParser<boolean> = (raw, param) => {
  if (parseFlag(raw, param)) throw createInvalidRequestError('The sandbox makes no invoices.', { param });
  return false;
};

const refuseStoredPrice: ParameterParser<string> = (raw, param) => {
  createTextParser()(raw, param);
  throw createInvalidRequestError('The sandbox keeps no prices: use price_data.', {
    code: 'resource_missing',
    param,
  });
};

const parseProductData = createObjectParser(
  { name: createTextParser({ max: 250 }) },
  {
    description: createTextParser(),
    images: createListParser(parseAbsoluteUrl),
    metadata: parseMetadata,
    tax_code: createTextParser(),
    tax_details: createObjectParser(
      {},
      { performance_location: createTextParser(), tax_code: createTextParser() },
    ),
    unit_label: createTextParser({ max: 12 }),
  },
);

const parsePriceData = createObjectParser(
  {
    currency: parseCurrency,
    product_data: parseProductData,
    unit_amount: createIntegerParser({ min: 0, max: 99_999_999 }),
  },
  { tax_behavior: createEnumParser(['exclusive', 'inclusive', 'unspecified']) },
);

const parseLineItem = createObjectParser(
  { quantity: createIntegerParser({ min: 1, max: 999_999 }) },
  { price_data: parsePriceData, price: refuseStoredPrice, metadata: parseMetadata },
);

const parsePaymentIntentData = createObjectParser(
  {},
  {
    capture_method: createEnumParser(['automatic', 'automatic_async']),
    description: createTextParser({ max: 1000 }),
    metadata: parseMetadata,
    receipt_email: createTextParser({ max: 512 }),
    statement_descriptor: createTextParser({ max: 22 }),
    statement_descriptor_suffix: createTextParser({ max: 22 }),
  },
);
export type PaymentIntentData = ReturnType<typeof parsePaymentIntentData>;

const parseParameters = createObjectParser(
  { line_items: createListParser(parseLineItem), mode: createTextParser(), success_url: parseAbsoluteUrl },
  {
    adaptive_pricing: createObjectParser({}, { enabled: parseFlag }),
    allow_promotion_codes: parseFlag,
    allowed_payment_method_types: createListParser(createTextParser()),
    automatic_tax: createObjectParser({ enabled: parseFlag }, {}),
    billing_address_collection: createEnumParser(['auto', 'required']),
    cancel_url: parseAbsoluteUrl,
    client_reference_id: createTextParser({ max: 200 }),
    customer_creation: createEnumParser(['if_required']),
    customer_email: createTextParser({ max: 512 }),
    excluded_payment_method_types: createListParser(createTextParser()),
    expires_at: createIntegerParser(),
    integration_identifier: createTextParser(),
    invoice_creation: createObjectParser({ enabled: parseDisabledFlag }, {}),
    locale: createTextParser({ max: 6 }),
    metadata: parseMetadata,
    origin_context: createEnumParser(['mobile_app', 'web']),
    payment_intent_data: parsePaymentIntentData,
    payment_method_collection: createEnumParser(['always', 'if_required']),
    submit_type: createEnumParser(['auto', 'book', 'donate', 'pay']),
    ui_mode: createEnumParser(['hosted_page']),
  },
);

export type SessionParameters = ReturnType<typeof parseParameters>;
export type LineItemParameters = SessionParameters['line_items'][number];

export function parseSessionParameters(raw: RawParameters): SessionParameters {
  const parameters = parseParameters(raw, '');
  if (parameters.mode !== 'payment') {
    throw createInvalidRequestError('The sandbox knows only the mode payment.', { param: 'mode' });
  }
  checkExpiry(parameters.expires_at);
  checkLineItems(parameters.line_items);
  return parameters;
}

function checkExpiry(expiresAt: number | undefined): void {
  if (expiresAt === undefined) return;
  const ahead = expiresAt - getUnixSeconds();
  if (ahead < HOUR / 2 - CLOCK_SLACK || ahead > 24 * HOUR + CLOCK_SLACK) {
    throw createInvalidRequestError('expires_at must lie 30 minutes to 24 hours ahead.', {
      param: 'expires_at',
    });
  }
}

function checkLineItems(items: readonly LineItemParameters[]): void {
  const currencies = new Set<string>();
  let total = 0;
  for (const [index, item] of items.entries()) {
    if (item.price_data === undefined) throw createMissingParameterError(`line_items[${index}][price_data]`);
    currencies.add(item.price_data.currency);
    total += item.price_data.unit_amount * item.quantity;
  }
  if (currencies.size > 1)
    throw createInvalidRequestError('All line items need the same currency.', { param: 'line_items' });
  if (total < 50 || total > 99_999_999) {
    const code = total < 50 ? 'amount_too_small' : 'amount_too_large';
    throw createInvalidRequestError('The total must lie between 50 and 99999999.', {
      code,
      param: 'line_items',
    });
  }
}
