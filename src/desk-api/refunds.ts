/** Refunds that the desk owes over HTTP: sealed as its people left them, and the mark that one was made. */
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { closedObject, IdSchema } from '#platform/http/shapes.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { deleteRefund, listDueRefunds } from '#store/cases/refunds.ts';
import type { DeskRefunds } from '#wire/desk-lists.ts';
import type { DeskServices } from './desk-services.ts';
import { requireInvestigator } from './guard.ts';

const ROWS = 50;

const RefundPageQuery = Type.Object({ after: Type.Optional(IdSchema) }, closedObject);

export function addDeskRefundRoutes(scope: App, { clock, store }: DeskServices): void {
  scope.get(
    '/refunds',
    { config: { access: 'desk' }, schema: { querystring: RefundPageQuery } },
    async (request): Promise<DeskRefunds> => {
      const { after } = request.query;
      const rows = await listDueRefunds(store.records, { after, limit: ROWS + 1 }, clock.now());
      const refunds = rows.slice(0, ROWS);
      return {
        refunds: refunds.map(({ id, sealed }) => ({ id, sealed: toBase64url(sealed) })),
        next: rows.length > ROWS ? (refunds.at(-1)?.id ?? null) : null,
      };
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
          throw new ServiceError('not_found', { detail: 'A colleague has already marked it as done.' });
        const { case_id: id } = refund;
        const subject = id === null ? {} : { subject: { kind: 'case', id } as const };
        await appendAuditEntry(records, { by: holder, act: 'settle_refund', ...subject }, clock.now());
      });
      return reply.code(204).send(null);
    },
  );
}
