/** Orders that need a hand: in the database beside a command, or at an office over the network. */
import { OfficeFault } from '#desk-program/office/office.ts';
import type { DeskOrder, OwnerOffice } from '#desk-program/office/owner-office.ts';
import { createOwnerOffice, walkOrderPages } from '#desk-program/office/owner-requests.ts';
import { markOrdersAttended, type ReleasedOrders, releaseOrders } from '#payments/order-decisions.ts';
import { type ExplainedOrder, explainOrder, explainOrderTrouble } from '#payments/order-trouble.ts';
import { readUnattendedOrders } from '#payments/unattended-orders.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { listHeldOrders } from '#store/held-orders.ts';
import { findOrder, type Order } from '#store/orders.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { createUsageFailure } from './command.ts';
import { CommandFailure } from './failure.ts';
import { type OfficeLink, withOfficeLink } from './office-link.ts';
import type { OfficeAccess } from './pinning-key.ts';
import { terminalSafe } from './terminal-text.ts';

export interface TroubledOrder extends ExplainedOrder {
  /** At an office the day alone: its minute would lead to a case. */
  readonly created_at: string;
}

export interface OrderSource {
  /** The oldest first. `after` is the id of the last one before. */
  readonly listOrders: (page: {
    readonly limit: number;
    readonly after: string | undefined;
  }) => Promise<{ readonly orders: readonly TroubledOrder[]; readonly next: string | null }>;
  readonly requireOrder: (id: string) => Promise<TroubledOrder>;
  readonly markDone: (ids: readonly string[]) => Promise<void>;
  readonly listHeldIds: () => Promise<readonly string[]>;
  /** Throws before anything is changed if one of them is not held. */
  readonly requireHeld: (ids: readonly string[]) => Promise<void>;
  readonly release: (ids: readonly string[], unchecked: boolean) => Promise<ReleasedOrders>;
}

export async function withOrderSource<Result>(
  access: OfficeAccess | null,
  work: (source: OrderSource) => Promise<Result>,
): Promise<Result> {
  if (access) return await withOfficeLink(access, (link) => work(createOfficeOrders(link)));
  return await withStore((services) => work(createStoredOrders(services)));
}

function createStoredOrders(services: CliServices): OrderSource {
  const { records } = services.store;
  return {
    listOrders: async (request) => {
      const page = await readUnattendedOrders(records, request);
      if (page === null) throw createUsageFailure('--after takes the id that the previous page printed');
      return { orders: page.orders.map(toTroubledOrder), next: page.next };
    },
    requireOrder: async (id) => {
      const order = await findOrder(records, id);
      if (!order || !isTroubled(order)) throw createUnknownOrder(id);
      return toTroubledOrder(order);
    },
    markDone: (ids) => markOrdersAttended(services, ids, null),
    listHeldIds: async () => (await listHeldOrders(records)).map(({ id }) => id),
    requireHeld: async (ids) => {
      const orders = await Promise.all(ids.map((id) => findOrder(records, id)));
      const stranger = orders.findIndex((order) => order?.held !== 1);
      if (stranger >= 0) throw createUnheldFailure(ids[stranger]!);
    },
    release: (ids, unchecked) => releaseOrders(services, ids, { by: null, unchecked }),
  };
}

/** What is paid and not held is in order. */
function isTroubled(order: Order): boolean {
  return order.held === 1 || (order.payment !== 'paid' && explainOrderTrouble(order) !== '');
}

function toTroubledOrder(order: Order): TroubledOrder {
  return { ...explainOrder(order), created_at: toIsoTime(order.created_at) };
}

function createOfficeOrders({ signer }: OfficeLink): OrderSource {
  const office = createOwnerOffice(signer);
  const listHeldIds = async () =>
    (await Array.fromAsync(walkOrders(signer))).filter(({ why }) => why === 'held').map(({ id }) => id);
  return {
    listOrders: async ({ limit, after }) => {
      const orders: TroubledOrder[] = [];
      for await (const order of walkOrders(signer, after)) {
        orders.push(order);
        if (orders.length > limit) break;
      }
      const shown = orders.slice(0, limit);
      return { orders: shown, next: orders.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },
    requireOrder: async (id) => {
      for await (const order of walkOrders(signer)) if (order.id === id) return order;
      throw createUnknownOrder(id);
    },
    markDone: async (ids) => {
      for (const id of ids) await office.markOrderDone(id);
    },
    listHeldIds,
    requireHeld: async (ids) => {
      const held = new Set(await listHeldIds());
      const stranger = ids.find((id) => !held.has(id));
      if (stranger !== undefined) throw createUnheldFailure(stranger);
    },
    release: async (ids, unchecked) => {
      if (unchecked) throw createUsageFailure('--unchecked works only beside the database');
      const released: string[] = [];
      for (const id of ids) if (await releaseUnlessWaiting(office, id)) released.push(id);
      return { released, waiting: ids.length - released.length };
    },
  };
}

/** Whatever else the office refuses stops the command. */
async function releaseUnlessWaiting(office: OwnerOffice, id: string): Promise<boolean> {
  try {
    await office.releaseOrder(id);
    return true;
  } catch (error) {
    if (error instanceof OfficeFault && error.code === 'order_waits') return false;
    throw error;
  }
}

async function* walkOrders(signer: OfficeLink['signer'], start?: string): AsyncGenerator<TroubledOrder> {
  for await (const { orders } of walkOrderPages(signer, start)) yield* orders.map(toShownOrder);
}

function toShownOrder({ id, tier, why, explanation, made_on: day }: DeskOrder): TroubledOrder {
  const [shownTier = '', shownWhy = '', shownText = ''] = [tier, why, explanation].map(terminalSafe.line);
  return { id, tier: shownTier, why: shownWhy, explanation: shownText, created_at: day };
}

function createUnknownOrder(id: string): CommandFailure {
  return new CommandFailure(`${id}: there is no such order that needs a hand`, EXIT_CODES.failure);
}

function createUnheldFailure(id: string): CommandFailure {
  return new CommandFailure(`${id}: not a held order; nothing was changed`, EXIT_CODES.failure);
}
