/** Orders over HTTP, for owners: those that need a hand, and the mark that somebody has looked. No way leads to a case. */
import { Type } from 'typebox';
import { explainOrderTrouble, getOrderTrouble } from '#payments/order-trouble.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { ID_PATTERN } from '#platform/id-pattern.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { listUnattendedOrders, markOrderAttended } from '#store/attended-orders.ts';
import type { DeskOrders } from '#wire/desk-office.ts';
import type { DeskServices } from './desk-services.ts';
import { requireOwner } from './guard.ts';

const DAY_LENGTH = 10;

export function addDeskOrderRoutes(scope: App, { store }: DeskServices): void {
  scope.get('/orders', { config: { access: 'desk' } }, async (request): Promise<DeskOrders> => {
    requireOwner(request);
    const orders = await listUnattendedOrders(store.records);
    return {
      orders: orders.map((order) => ({
        id: order.id,
        tier: order.tier,
        why: getOrderTrouble(order),
        explanation: explainOrderTrouble(order),
        // Its minute would lead to the case that came soon after.
        made_on: toIsoTime(order.created_at).slice(0, DAY_LENGTH),
      })),
    };
  });
  scope.post<{ Params: { readonly order: string } }>(
    `/orders/:order(^${ID_PATTERN}$)/done`,
    { config: { access: 'desk' }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      requireOwner(request);
      if (!(await store.transaction((records) => markOrderAttended(records, request.params.order))))
        throw new ServiceError('not_found', {
          detail: 'No quarantined or disputed order with this id waits.',
        });
      return reply.code(204).send(null);
    },
  );
}
