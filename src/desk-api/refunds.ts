/** The refunds that the desk owes, over HTTP: listed while sealed, sealed again by an owner, and marked as made. */
import { Type } from 'typebox';
import { storeResealedRefund } from '#cases/sealing/reseal.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { deleteRefund, listRefunds, type RefundRecord } from '#store/cases/refunds.ts';
import type { DeskRefunds } from '#wire/desk-lists.ts';
import {
  type DeskRefundResealing,
  DeskRefundResealingSchema,
  MAX_RESEALING_BYTES,
} from '#wire/desk-resealing.ts';
import type { DeskServices } from './desk-services.ts';
import { OWNER_ACCESS, requireInvestigator } from './guard.ts';

const ROWS = 50;

const RefundPageQuery = describeObject({ after: Type.Optional(IdSchema) });

export function addDeskRefundRoutes(scope: App, { clock, store }: DeskServices): void {
  scope.get(
    '/refunds',
    { config: { access: 'desk' }, schema: { querystring: RefundPageQuery } },
    async (request): Promise<DeskRefunds> => {
      const page = { after: request.query.after, limit: ROWS + 1 };
      return describeRefunds(await listRefunds(store.records, page, clock.now()));
    },
  );
  scope.get(
    '/resealing/refunds',
    { config: OWNER_ACCESS, schema: { querystring: RefundPageQuery } },
    async (request): Promise<DeskRefunds> =>
      describeRefunds(await listRefunds(store.records, { after: request.query.after, limit: ROWS + 1 })),
  );
  scope.put<{ Body: DeskRefundResealing }>(
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
  scope.post<{ Params: { readonly refund: string } }>(
    `/refunds/:refund(^${ID_PATTERN}$)/done`,
    { config: { access: 'desk' }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { holder } = requireInvestigator(request);
      await store.transaction(async (records) => {
        const refund = await deleteRefund(records, request.params.refund);
        if (!refund)
          throw new ServiceError('not_found', {
            detail: 'A colleague has already marked this refund as done.',
          });
        const { case_id: id } = refund;
        const subject = id === null ? {} : { subject: { kind: 'case', id } as const };
        await appendAuditEntry(records, { by: holder, act: 'settle_refund', ...subject }, clock.now());
      });
      return reply.code(204).send(null);
    },
  );
}

function describeRefunds(rows: readonly RefundRecord[]): DeskRefunds {
  const refunds = rows.slice(0, ROWS);
  return {
    refunds: refunds.map(({ id, sealed, restored }) => ({
      id,
      sealed: toBase64url(sealed),
      restored: restored === 1,
    })),
    next: rows.length > ROWS ? (refunds.at(-1)?.id ?? null) : null,
  };
}
