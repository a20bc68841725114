/** The caller's own orders, newest first. */
import { type Static, Type } from 'typebox';
import { callerOf } from '#oauth/guard.ts';
import { ownerTag } from '#payments/owner.ts';
import { tierNames } from '#payments/tiers.ts';
import type { App } from '#platform/http/app.ts';
import { described } from '#platform/http/operation.ts';
import { closed } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { type Order, ordersOf } from '#store/orders.ts';
import { cursorOf, linkNext, Next, pageQuery, placeOf } from './list-pages.ts';

const sizes = { usual: 20, most: 100 } as const;

const Item = Type.Object(
  {
    id: Type.String({ examples: ['q1Zl7yBq3mJx0c2y8l4QxA'] }),
    tier: Type.Enum(tierNames, { type: 'string' }),
    status: Type.Enum(['pending', 'paid', 'redeemed', 'expired', 'refunded', 'held'], {
      type: 'string',
      description: 'Only a `paid` order opens a case.',
    }),
    created_at: Type.String({ format: 'date-time' }),
  },
  closed,
);
const Orders = Type.Object({ orders: Type.Array(Item), next: Next }, closed);

export function addOrders(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  app.get(
    '/orders',
    {
      config: { access: 'case:write' },
      schema: {
        ...described({
          operationId: 'listOrders',
          tag: 'payments',
          summary: 'The orders that this client bought, newest first',
        }),
        querystring: pageQuery(sizes),
        response: { 200: Orders },
      },
    },
    async (request, reply) => {
      const { limit = String(sizes.usual), after } = request.query;
      const size = Number(limit);
      const owner = ownerTag(services.keyring, callerOf(request).clientId);
      const found = await ordersOf(services.store.records, owner, {
        // One more than asked tells whether there is a next page.
        limit: size + 1,
        ...(after === undefined ? {} : { after: keyOf(after) }),
      });
      const orders = found.slice(0, size);
      const last = orders.at(-1);
      const next = found.length > size && last ? cursorOf({ at: last.created_at, id: last.id }) : undefined;
      linkNext(request, reply, next);
      return { orders: orders.map(shown), ...(next === undefined ? {} : { next }) };
    },
  );
}

function keyOf(cursor: string): Pick<Order, 'created_at' | 'id'> {
  const { at, id } = placeOf(cursor);
  return { created_at: at, id };
}

type Status = Static<typeof Item>['status'];

/** What the caller can do with the order: nothing but `paid` can be redeemed. */
const statuses: Readonly<Record<Order['payment'], Status>> = {
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

function shown({ id, tier, payment, redeemed, created_at }: Order): Static<typeof Item> {
  return {
    id,
    tier: tier as Static<typeof Item>['tier'],
    status: payment === 'paid' && redeemed === 1 ? 'redeemed' : statuses[payment],
    created_at: new Date(created_at).toISOString(),
  };
}
