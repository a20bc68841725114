/** Builds the line items of a session, each with its inline price. */
import type { Stripe } from 'stripe';
import { getUnixSeconds } from './clock.ts';
import { generateStripeId } from './ids.ts';
import type { LineItemParameters } from './session-parameters.ts';

export function buildLineItem(parameters: LineItemParameters): Stripe.LineItem {
  const { unit_amount, currency, product_data } = parameters.price_data!;
  const amount = unit_amount * parameters.quantity;
  return {
    id: generateStripeId('li_'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description: product_data.name,
    metadata: parameters.metadata ?? {},
    price: buildPrice(parameters),
    quantity: parameters.quantity,
  };
}

function buildPrice(parameters: LineItemParameters): Stripe.Price {
  const { unit_amount, currency, tax_behavior } = parameters.price_data!;
  return {
    id: generateStripeId('price_'),
    object: 'price',
    // Inline prices can be used only once.
    active: false,
    billing_scheme: 'per_unit',
    created: getUnixSeconds(),
    currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: generateStripeId('prod_'),
    recurring: null,
    tax_behavior: tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'one_time',
    unit_amount,
    // A string in the JSON; the SDK converts it to its decimal class.
    unit_amount_decimal: String(unit_amount) as unknown as Stripe.Decimal,
  };
}
