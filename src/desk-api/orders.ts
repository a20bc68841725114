/** Orders over HTTP, for owners: those that need review, marked as reviewed, or released. None leads to a case. */
import { Type } from 'typebox';
import {
  getOrderTrouble,
  markOrdersReviewed,
  readOrdersToReview,
  releaseOrders,
} from '#payments/order-decisions.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import { createCursorError } from '#platform/page-cursor.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { cutIsoDay, toIsoTime } from '#platform/text/iso-time.ts';
import type { Order } from '#store/orders/orders.ts';
import type { DeskOrders } from '#wire/desk-lists.ts';
import type { DeskServices } from './desk-services.ts';
import { OWNER_ACCESS, requireInvestigator } from './guard.ts';

const ROWS = 50;

/** `after` is the id of the last order of the previous page. */
const OrderPageQuery = describeObject({ after: Type.Optional(IdSchema) });

export function addDeskOrderRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/orders',
    { config: OWNER_ACCESS, schema: { querystring: OrderPageQuery } },
    async (request): Promise<DeskOrders> => {
      const { after } = request.query;
      const page = await readOrdersToReview(services.store.records, { after, limit: ROWS });
      if (page === null) throw createCursorError();
      return { orders: page.orders.map(toDeskOrder), next: page.next };
    },
  );
  scope.post<{ Params: { readonly order: string } }>(
    `/orders/:order(^${ID_PATTERN}$)/done`,
    { config: OWNER_ACCESS, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { holder } = requireInvestigator(request);
      await markOrdersReviewed(services, [request.params.order], holder);
      return reply.code(204).send(null);
    },
  );
  scope.post<{ Params: { readonly order: string } }>(
    `/orders/:order(^${ID_PATTERN}$)/release`,
    { config: OWNER_ACCESS, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { holder } = requireInvestigator(request);
      await releaseOrder(services, request.params.order, holder);
      return reply.code(204).send(null);
    },
  );
}

function toDeskOrder(order: Order): DeskOrders['orders'][number] {
  const { id, tier, created_at: at } = order;
  // Only the day: the minute would identify the case that was opened soon after.
  return { id, tier, why: getOrderTrouble(order), made_on: cutIsoDay(toIsoTime(at)) };
}

/** Refuses until the running service has asked the provider whether the order was refunded. */
async function releaseOrder(services: DeskServices, id: string, by: string): Promise<void> {
  const { released, waiting } = await releaseOrders(services, [id], { by, unchecked: false });
  if (waiting > 0)
    throw new ServiceError('payment_held', {
      detail: 'The provider has not been asked yet whether this order was refunded. Try again in a minute.',
    });
  if (released.length === 0)
    throw new ServiceError('not_found', { detail: 'No order with this id is on hold.' });
}
