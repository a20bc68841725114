/** Orders over HTTP, for owners: those that need a hand, marked once somebody has looked, or released. No way leads to a case. */
import { Type } from 'typebox';
import { explainOrderTrouble, getOrderTrouble } from '#payments/order-trouble.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { ID_PATTERN } from '#platform/id-pattern.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { listUnattendedOrders, markOrderAttended } from '#store/attended-orders.ts';
import { isUnchecked, releaseHeldOrder } from '#store/held-orders.ts';
import { findOrder } from '#store/orders.ts';
import type { Records } from '#store/tables.ts';
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
  scope.post<{ Params: { readonly order: string } }>(
    `/orders/:order(^${ID_PATTERN}$)/release`,
    { config: { access: 'desk' }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      requireOwner(request);
      await store.transaction((records) => releaseOrder(records, request.params.order));
      return reply.code(204).send(null);
    },
  );
}

/** Only after the running service has asked the provider whether it was paid back. */
async function releaseOrder(records: Records, id: string): Promise<void> {
  const order = await findOrder(records, id);
  if (order?.held !== 1) throw new ServiceError('not_found', { detail: 'No order with this id is held.' });
  if (isUnchecked(order))
    throw new ServiceError('payment_held', {
      detail: 'The provider was not asked yet whether this order was paid back. Try again in a minute.',
    });
  await releaseHeldOrder(records, id);
}
