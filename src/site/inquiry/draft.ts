/** Gives and forgets the service's half of the key of a draft, for the script of a paid form. */
import type { FastifyRequest } from 'fastify';
import { requireSpendableSession } from '#payments/redeem.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { createDraftHalf, deleteDraftHalf } from '#store/cases/draft-keys.ts';
import { INQUIRY_DRAFT_PATH } from '#wire/inquiry-page.ts';
import { DraftHalfSchema } from '#wire/inquiry-requests.ts';
import { findSenderSession } from './form-session.ts';

export function addDraftRoutes(app: App, services: Pick<Services, 'clock' | 'keyring' | 'store'>): void {
  const { clock, keyring, store } = services;
  const config = { access: 'public', budget: 'drafts' } as const;
  app.post(
    INQUIRY_DRAFT_PATH,
    { config, schema: { response: { 200: DraftHalfSchema } } },
    async (request) => {
      const sessionId = requireSenderSession(services, request);
      await requireSpendableSession(services, sessionId);
      const form = { keyring, sessionId, now: clock.now() };
      return { half: await store.transaction((records) => createDraftHalf(records, form)) };
    },
  );
  app.delete(INQUIRY_DRAFT_PATH, { config }, async (request, reply) => {
    const sessionId = requireSenderSession(services, request);
    await deleteDraftHalf(store.records, { keyring, sessionId });
    return reply.code(204).send();
  });
}

function requireSenderSession(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
): string {
  const sessionId = findSenderSession(services, request);
  if (sessionId === null) throw new ServiceError('form_expired');
  return sessionId;
}
