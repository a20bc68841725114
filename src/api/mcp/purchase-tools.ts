/** Tools for buying: prices, whether payments work, a checkout that a person pays, and the orders that it makes. */
import { Type } from 'typebox';
import { listCallerOrders, OrderList, OrderListInput } from '#api/orders.ts';
import { CheckoutPage, PaymentStatus, readPaymentStatus } from '#api/payments.ts';
import { buildPricing, Pricing } from '#api/pricing.ts';
import { TierNameSchema } from '#api/tier-name.ts';
import { startCheckout } from '#payments/checkout.ts';
import {
  ANONYMOUS_KEY_RULE,
  IDEMPOTENCY_KEY_MEANING,
  toAnonymousIdempotencyKey,
  toIdempotencyKey,
} from '#platform/http/idempotency-key.ts';
import { closedObject, IdSchema } from '#platform/http/shapes.ts';
import { defineTool, NO_TOKEN_NEEDED, readingHints, requireToolCaller, writingHints } from './tool.ts';

const NoInput = Type.Object({}, closedObject);

const getPricing = defineTool({
  name: 'get_pricing',
  title: 'Prices and terms',
  description: `Lists the tiers with their prices and delivery times, and names the terms in force, whose version submit_inquiry asks for. ${NO_TOKEN_NEEDED}`,
  access: { optional: 'token' },
  input: NoInput,
  output: Pricing,
  annotations: readingHints,
  run: async (services) => buildPricing(services),
});

const getPaymentStatus = defineTool({
  name: 'get_payment_status',
  title: 'Whether payments are active',
  description: `Reports whether anything can be bought now; ask before create_checkout. ${NO_TOKEN_NEEDED}`,
  access: { optional: 'token' },
  input: NoInput,
  output: PaymentStatus,
  annotations: readingHints,
  run: async (services) => readPaymentStatus(services),
});

const createCheckout = defineTool({
  name: 'create_checkout',
  title: 'Start a purchase',
  description:
    'Starts the purchase of a tier and returns the address of the payment page. A person opens it and pays there: never fill it in yourself, and never ask for card data. The order belongs to the caller and `order_id` names it: ask list_orders until it is `paid`, or has ended otherwise, then use it in submit_inquiry. With `in_browser: true` no token is needed, and the person goes on in the browser after the payment: you cannot use such an order.',
  access: 'case:write',
  isAnonymous: ({ in_browser: inBrowser }) => inBrowser === true,
  budget: 'checkouts',
  input: Type.Object(
    {
      tier: TierNameSchema,
      in_browser: Type.Optional(
        Type.Boolean({ description: 'The person writes the inquiry in the browser, without you.' }),
      ),
      idempotency_key: Type.Optional(
        Type.String({ description: `${IDEMPOTENCY_KEY_MEANING} ${ANONYMOUS_KEY_RULE}` }),
      ),
    },
    closedObject,
  ),
  output: Type.Object(
    {
      ...CheckoutPage.properties,
      order_id: Type.Optional(Type.String({ ...IdSchema, description: 'Not with `in_browser`.' })),
    },
    closedObject,
  ),
  pageMessage: 'Pay for the inquiry on the page of the payment provider.',
  annotations: writingHints,
  run: async (services, { caller, input: { tier, in_browser: inBrowser, idempotency_key: key } }) => {
    const buyer = inBrowser ? null : requireToolCaller(caller);
    const { orderId, url } = await startCheckout(services, {
      tier,
      key: buyer ? toIdempotencyKey(key) : toAnonymousIdempotencyKey(key),
      buyer,
    });
    return { url, ...(buyer ? { order_id: orderId } : {}) };
  },
});

const listOrders = defineTool({
  name: 'list_orders',
  title: 'Orders',
  description:
    'Lists the orders of the caller with their status, the newest day first. After a checkout, ask again every minute until its order is `paid`; it may be on the next page, since the orders of one day come in no particular order. A `held` one is being checked by somebody, for hours: nobody pays again. `expired` and `refunded` never become `paid`: ask the person whether to buy again. A `redeemed` order has opened a case. Do not start another checkout while an order is `pending`, `paid` or `held`.',
  access: 'case:write',
  input: OrderListInput,
  output: OrderList,
  annotations: readingHints,
  run: (services, { caller, input }) => listCallerOrders(services, requireToolCaller(caller), input),
});

export const purchaseTools = [getPricing, getPaymentStatus, createCheckout, listOrders];
