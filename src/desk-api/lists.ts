/** What waits at the desk besides cases, over HTTP: contact messages, refunds and orders, and how much in numbers. */
import { Type } from 'typebox';
import { chooseCases } from '#cases/desk/desk-queue.ts';
import { countByWeek } from '#cases/desk/week-counts.ts';
import { resolveContactMessage } from '#cases/intake/contact.ts';
import { storeResealedRefund } from '#cases/sealing/reseal.ts';
import { OPEN_STATES } from '#cases/states.ts';
import {
  getOrderTrouble,
  markOrdersReviewed,
  readOrdersToReview,
  releaseOrders,
} from '#payments/order-decisions.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import {
  createCursorError,
  decodePageCursor,
  type PageRequest,
  readListPage,
} from '#platform/page-cursor.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { cutIsoDay, toIsoTime } from '#platform/text/iso-time.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { listOpenContactMessages } from '#store/cases/contact-messages.ts';
import { countOpenContactMessages } from '#store/cases/desk-mail.ts';
import { type CaseChoice, countChosenCases } from '#store/cases/desk-queue.ts';
import { countDueRefunds, deleteRefund, listRefunds, type RefundRecord } from '#store/cases/refunds.ts';
import { countPendingRegistrations } from '#store/clients/registrations.ts';
import type { Order } from '#store/orders/orders.ts';
import { countOrdersToReview } from '#store/orders/orders-to-review.ts';
import type { Records } from '#store/schema/tables.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { MAX_COUNTED } from '#wire/desk-cases.ts';
import type { DeskContact, DeskNumbers, DeskOrders, DeskRefunds, DeskWeeks } from '#wire/desk-lists.ts';
import { DeskRefundResealingSchema, MAX_RESEALING_BYTES } from '#wire/desk-resealing.ts';
import { DESK_ACCESS, type DeskServices, isOwner, OWNER_ACCESS, requireInvestigator } from './guard.ts';

const ROWS = 50;

export const DeskPageQuerySchema = describeObject({ after: Type.Optional(Type.String({ maxLength: 200 })) });
/** `after` is the id of the last row of the previous page. */
const IdPageQuery = describeObject({ after: Type.Optional(IdSchema) });

interface DeskPageQuery {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
}

export function parseDeskPage({ limit, after: cursor }: DeskPageQuery): PageRequest {
  const after = cursor === undefined ? undefined : decodePageCursor(cursor);
  if (after === null) throw createCursorError();
  return { limit: limit === undefined ? ROWS : Number(limit), after };
}

/** Adds `POST /{list}/{id}/{act}`, which answers 204. */
function addActRoute(
  scope: App,
  config: typeof DESK_ACCESS | typeof OWNER_ACCESS,
  [list, noun, act]: readonly [list: string, noun: string, act: string],
  work: (id: string, by: string) => Promise<void>,
): void {
  scope.post<{ Params: Readonly<Record<string, string>> }>(
    `/${list}/:${noun}(^${ID_PATTERN}$)/${act}`,
    { config, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      await work(request.params[noun] ?? '', requireInvestigator(request).holder);
      return reply.code(204).send(null);
    },
  );
}

/** The messages are still sealed. */
export function addDeskContactRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/contact',
    { config: DESK_ACCESS, schema: { querystring: DeskPageQuerySchema } },
    async (request): Promise<DeskContact> => {
      const { rows, next } = await readListPage(
        parseDeskPage(request.query),
        (page) => listOpenContactMessages(services.store.records, page),
        ({ received_at: at }) => at,
      );
      const messages = rows.map(({ id, sealed, sealed_by, received_at: receivedAt, purge_at: purgeAt }) => ({
        id,
        sealed_by,
        received_at: toIsoTime(receivedAt),
        purge_at: toIsoTime(purgeAt),
        sealed: toBase64url(sealed),
      }));
      return { messages, next };
    },
  );
  addActRoute(scope, DESK_ACCESS, ['contact', 'message', 'done'], (id, by) =>
    resolveContactMessage(services, id, by),
  );
}

/** The refunds that the desk owes: listed while sealed, sealed again by an owner, and marked as made. */
export function addDeskRefundRoutes(scope: App, { clock, store }: DeskServices): void {
  const listPage = async (after: string | undefined, dueBy?: number) =>
    describeRefunds(await listRefunds(store.records, { after, limit: ROWS + 1 }, dueBy));
  scope.get(
    '/refunds',
    { config: DESK_ACCESS, schema: { querystring: IdPageQuery } },
    async (request) => await listPage(request.query.after, clock.now()),
  );
  scope.get(
    '/resealing/refunds',
    { config: OWNER_ACCESS, schema: { querystring: IdPageQuery } },
    async (request) => await listPage(request.query.after),
  );
  scope.put(
    '/resealing/refunds',
    {
      config: { ...OWNER_ACCESS, upload: true },
      bodyLimit: MAX_RESEALING_BYTES,
      schema: { body: DeskRefundResealingSchema, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { set, id, sealed } = request.body;
      await storeResealedRefund({ store }, set, { id, sealed: Buffer.from(sealed, 'base64url') });
      return reply.code(204).send(null);
    },
  );
  addActRoute(scope, DESK_ACCESS, ['refunds', 'refund', 'done'], (refundId, by) =>
    store.transaction(async (records) => {
      const refund = await deleteRefund(records, refundId);
      const detail = 'A colleague has already marked this refund as done.';
      if (!refund) throw new ServiceError('not_found', { detail });
      const { case_id: id } = refund;
      const subject = id === null ? {} : { subject: { kind: 'case', id } as const };
      await appendAuditEntry(records, { by, act: 'settle_refund', ...subject }, clock.now());
    }),
  );
}

function describeRefunds(rows: readonly RefundRecord[]): DeskRefunds {
  const refunds = rows.slice(0, ROWS).map(({ id, sealed, restored }) => ({
    id,
    sealed: toBase64url(sealed),
    restored: restored === 1,
  }));
  return { refunds, next: rows.length > ROWS ? (refunds.at(-1)?.id ?? null) : null };
}

/** The orders that need review, for owners. None leads to a case. */
export function addDeskOrderRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/orders',
    { config: OWNER_ACCESS, schema: { querystring: IdPageQuery } },
    async (request): Promise<DeskOrders> => {
      const { after } = request.query;
      const page = await readOrdersToReview(services.store.records, { after, limit: ROWS });
      if (page === null) throw createCursorError();
      return { orders: page.orders.map(toDeskOrder), next: page.next };
    },
  );
  addActRoute(scope, OWNER_ACCESS, ['orders', 'order', 'done'], (id, by) =>
    markOrdersReviewed(services, [id], by),
  );
  addActRoute(scope, OWNER_ACCESS, ['orders', 'order', 'release'], (id, by) =>
    releaseOrder(services, id, by),
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

export function addDeskNumberRoutes(scope: App, { clock, store }: DeskServices): void {
  scope.get(
    '/numbers',
    { config: DESK_ACCESS },
    async (request) => await countOffice(store.records, clock.now(), isOwner(requireInvestigator(request))),
  );
  scope.get('/numbers/weeks', { config: DESK_ACCESS }, async (): Promise<DeskWeeks> => {
    const now = clock.now();
    return { counts: await countByWeek(store.records, now), now: toIsoTime(now) };
  });
}

/** Counts up to the same limit as the queue. */
async function countOffice(records: Records, now: number, isForOwner: boolean): Promise<DeskNumbers> {
  const countCases = async (choice: CaseChoice) => await countChosenCases(records, choice, now);
  const states = await Array.fromAsync(
    CASE_STATES,
    async (state) => [state, await countCases({ states: [state] })] as const,
  );
  return {
    cases: Object.fromEntries(states),
    unanswered: await countCases(chooseCases('unanswered', null, now)),
    due_within_a_day: await countCases({ states: OPEN_STATES, dueAfter: now, dueBefore: now + DAY_MS }),
    late: await countCases(chooseCases('late', null, now)),
    contact: await countOpenContactMessages(records),
    refunds: await countDueRefunds(records, now),
    agents: isForOwner ? await countPendingRegistrations(records) : null,
    orders: isForOwner ? await countOrdersToReview(records, MAX_COUNTED) : null,
    now: toIsoTime(now),
  };
}
