/** The caller's orders: one by its id, or all, the newest day first. */
import { type Static, Type } from 'typebox';
import { requireCaller } from '#oauth/guard.ts';
import { isOrderOnHold, requireOwnOrder } from '#payments/redeem.ts';
import { PAYMENT_PAGE_MINUTES } from '#platform/expiry.ts';
import type { App } from '#platform/http/app-type.ts';
import { describeAnswer } from '#platform/http/operation.ts';
import { describeObject, IdSchema, TimeSchema } from '#platform/http/shapes.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { cutToDay } from '#platform/text/day.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { Services } from '#services.ts';
import { listOrdersByOwner, type Order } from '#store/orders/orders.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#store/owner.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import {
  createPageInputSchema,
  createPageQuerySchema,
  NextCursor,
  PAGE_HEADERS,
  type PageQuery,
  parsePageQuery,
  setNextPageLink,
} from './list-pages.ts';
import { TierNameSchema } from './pricing.ts';

const pageSizes = { default: 20, max: 100 } as const;
export const OrderListInput = createPageInputSchema(pageSizes);

export const OrderItem = describeObject(
  {
    id: Type.String({ ...IdSchema, description: 'The `order_id` of `createInquiry`.' }),
    tier: TierNameSchema,
    status: Type.Enum(['pending', 'paid', 'redeemed', 'expired', 'refunded', 'held'], {
      type: 'string',
      description: `\`pending\`: not paid yet, for ${PAYMENT_PAGE_MINUTES} minutes at most, or not settled; \`paid\`: it can open a case, and no other can; \`redeemed\`: it has opened one; \`expired\`: never paid; \`refunded\`: paid back; \`held\`: a person checks the payment.`,
    }),
    created_at: Type.String({
      ...TimeSchema,
      description:
        'Exact while the order can still be paid or used (`pending`, `paid`). Afterwards only its day is kept, and shown as midnight (UTC), so do not compare times to tell orders apart.',
    }),
  },
  {
    title: 'Order',
    examples: [
      {
        id: 'q1Zl7yBq3mJx0c2y8l4QxA',
        tier: 'Trace',
        status: 'paid',
        created_at: '2026-11-15T05:00:00.000Z',
      },
    ],
  },
);
export const OrderList = describeObject(
  {
    orders: Type.Array(OrderItem, { maxItems: pageSizes.max, description: 'The newest day first.' }),
    next: NextCursor,
  },
  { title: 'OrderList' },
);

type OrderServices = Pick<Services, 'addresses' | 'paymentProvider' | 'keyring' | 'store'>;

export function addOrderRoute(app: App, services: OrderServices): void {
  app.get(
    '/orders/:order',
    {
      config: { access: 'case:write', problems: ['not_found'] },
      schema: {
        operationId: 'getOrder',
        tags: ['payments'],
        summary: 'Gets an order of the caller: whether it is paid, used or given back',
        description:
          'Gets the order that a checkout made; the `Location` of `createCheckout` is this address. Ask until `status` is `paid`, then use the id in `createInquiry`. While it is `pending`, `createCheckout` with the same key and tier gives its payment page again. A payment may take a minute to be known here. An order of another caller is not found.',
        params: describeObject({ order: Type.String({ ...IdSchema, description: 'The id of the order.' }) }),
        response: { 200: OrderItem },
      },
    },
    (request) => readCallerOrder(services, requireCaller(request), request.params.order),
  );
}

export async function readCallerOrder(
  services: OrderServices,
  caller: RecordOwner,
  orderId: string,
): Promise<Static<typeof OrderItem>> {
  return toOrderItem(services, await requireOwnOrder(services, caller, { orderId }));
}

export function addOrderListRoute(app: App, services: OrderServices): void {
  app.get(
    '/orders',
    {
      config: { access: 'case:write' },
      schema: {
        operationId: 'listOrders',
        tags: ['payments'],
        summary: 'Lists the orders of the caller, the newest day first',
        description:
          'With the token of a person: the orders of that person at this client. With a token of the client: those that it made for itself. Orders of one day (UTC) come in no particular order, which does not change while you read the pages.',
        querystring: createPageQuerySchema(pageSizes),
        response: { 200: describeAnswer(OrderList, { headers: PAGE_HEADERS }) },
      },
    },
    async (request, reply) => {
      const page = await listCallerOrders(services, requireCaller(request), request.query);
      setNextPageLink(request, reply, services.addresses, page.next);
      return page;
    },
  );
}

export async function listCallerOrders(
  services: OrderServices,
  caller: RecordOwner,
  query: PageQuery,
): Promise<Static<typeof OrderList>> {
  const owner = computeOrderOwnerTag(services.keyring, caller);
  const { rows, next } = await readListPage(
    parsePageQuery(query, pageSizes),
    (page) => listOrdersByOwner(services.store.records, owner, page),
    ({ created_at }) => cutToDay(created_at),
  );
  return { orders: rows.map((order) => toOrderItem(services, order)), ...(next === null ? {} : { next }) };
}

type OrderStatus = Static<typeof OrderItem>['status'];

/** Grouped by what the caller can do with the order; only a `paid` order can be redeemed. */
const statuses: Readonly<Record<PaymentState, OrderStatus>> = {
  pending: 'pending',
  processing: 'pending',
  paid: 'paid',
  failed: 'expired',
  expired: 'expired',
  refunded: 'refunded',
  disputed: 'held',
  charged_back: 'held',
  quarantined: 'held',
};

function toOrderItem(services: OrderServices, order: Order): Static<typeof OrderItem> {
  return {
    id: order.id,
    tier: order.tier as Static<typeof OrderItem>['tier'],
    status: toOrderStatus(services, order),
    created_at: toIsoTime(order.created_at),
  };
}

export function toOrderStatus(services: Pick<Services, 'paymentProvider'>, order: Order): OrderStatus {
  if (order.payment !== 'paid') return statuses[order.payment];
  if (order.redeemed === 1) return 'redeemed';
  return isOrderOnHold(services, order) ? 'held' : 'paid';
}
