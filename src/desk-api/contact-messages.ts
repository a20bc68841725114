/** Contact messages over HTTP: lists those not handled yet, still sealed, and marks them as handled. */
import { Type } from 'typebox';
import { resolveContactMessages } from '#cases/intake/contact.ts';
import type { App } from '#platform/http/app.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { listOpenContactMessages } from '#store/cases/contact-messages.ts';
import type { DeskContact } from '#wire/desk-lists.ts';
import type { DeskServices } from './desk-services.ts';
import { requireInvestigator } from './guard.ts';
import { DeskPageQuerySchema, parseDeskPage } from './page-query.ts';

export function addDeskContactRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/contact',
    { config: { access: 'desk' }, schema: { querystring: DeskPageQuerySchema } },
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
  scope.post<{ Params: { readonly message: string } }>(
    `/contact/:message(^${ID_PATTERN}$)/done`,
    { config: { access: 'desk' }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { holder } = requireInvestigator(request);
      await resolveContactMessages(services, [request.params.message], holder);
      return reply.code(204).send(null);
    },
  );
}
