/** The caller's own orders, newest first. */
import { type Static, Type } from 'typebox';
import { callerOf } from '#oauth/guard.ts';
import { ownerTag } from '#payments/owner.ts';
import { tierNames } from '#payments/tiers.ts';
import type { Till } from '#payments/till.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { type Order, ordersOf } from '#store/orders.ts';

const MOST = 100;
const USUAL = 20;

const Item = Type.Object({
  id: Type.String(),
  tier: Type.Enum(tierNames, { type: 'string' }),
  status: Type.Enum(['pending', 'paid', 'redeemed', 'expired', 'refunded', 'held'], { type: 'string' }),
  created_at: Type.String({ format: 'date-time' }),
});
const Orders = Type.Object({
  orders: Type.Array(Item),
  next: Type.Optional(Type.String({ description: 'The `after` of the next page; absent on the last.' })),
});
const Query = Type.Object(
  {
    limit: Type.Optional(Type.String({ pattern: '^([1-9]\\d?|100)$', description: `1 to ${MOST}.` })),
    after: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: false },
);

export function addOrders(app: App, till: Till): void {
  app.get(
    '/orders',
    { config: { access: 'case:write' }, schema: { querystring: Query, response: { 200: Orders } } },
    async (request) => {
      const { limit = String(USUAL), after } = request.query;
      const size = Number(limit);
      const owner = ownerTag(till.keyring, callerOf(request).clientId);
      const found = await ordersOf(till.store.records, owner, {
        // One more than asked tells whether there is a next page.
        limit: size + 1,
        ...(after === undefined ? {} : { after: placeOf(after) }),
      });
      const orders = found.slice(0, size);
      const last = orders.at(-1);
      return { orders: orders.map(shown), ...(found.length > size && last ? { next: cursorOf(last) } : {}) };
    },
  );
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

type Place = Pick<Order, 'created_at' | 'id'>;

function cursorOf({ created_at, id }: Place): string {
  return `${created_at}.${id}`;
}

function placeOf(cursor: string): Place {
  const [, at, id] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (at && id) return { created_at: Number(at), id };
  throw new ServiceError('validation_failed', {
    errors: [{ pointer: '/querystring/after', detail: 'must be the `next` of an earlier page' }],
  });
}
