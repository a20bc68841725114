/** Receives an inquiry sealed in the browser: first its uploaded pieces, then the request that opens the case. */
import type { FastifyRequest } from 'fastify';
import { createCase } from '#cases/intake/create-case.ts';
import { requireAcceptedTerms } from '#cases/intake/terms.ts';
import { deriveUploader, toUpload } from '#cases/intake/uploads.ts';
import { toShownTime } from '#language/timed-text.ts';
import { requireSpendableSession } from '#payments/redeem.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addSameOriginCheck } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { addPieceRoute } from '#site/piece-route.ts';
import { createDraftHalf, deleteDraftHalf } from '#store/cases/draft-keys.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import {
  INQUIRY_DRAFT_PATH,
  INQUIRY_PATH,
  INQUIRY_UPLOADS_PATH,
  SEALED_INQUIRY_PATH,
} from '#wire/inquiry-page.ts';
import { DraftHalfSchema, SealedInquirySchema, SentInquirySchema } from '#wire/inquiry-requests.ts';
import { clearFormSession, findSenderSession } from './form-session.ts';

/** Needs its own Fastify scope, because only the script of our page may call it. */
export function addSealedInquiryRoutes(
  app: App,
  services: Pick<
    Services,
    'addresses' | 'clock' | 'paymentProvider' | 'keyring' | 'store' | 'sealingKeys' | 'terms'
  >,
): void {
  addSameOriginCheck(app, services.addresses);
  addDraftRoutes(app, services);
  addPieceRoute(app, services, {
    path: INQUIRY_UPLOADS_PATH,
    requireSender: (request) => requireSpendableSession(services, requireSenderSession(services, request)),
    findUploader: (request) =>
      deriveUploader(services.keyring, { sessionId: findSenderSession(services, request) ?? '' }),
  });
  app.post(
    SEALED_INQUIRY_PATH,
    {
      config: { access: 'public', budget: 'sentForms' },
      schema: { body: SealedInquirySchema, response: { 200: SentInquirySchema } },
    },
    async (request, reply) => {
      const { body } = request;
      await requireAcceptedTerms(services, body.terms_version);
      const sessionId = findSenderSession(services, request);
      const { record } = await createCase(services, sessionId === null ? null : { sessionId }, {
        lookupHash: body.lookup_hash,
        caseKey: Buffer.from(body.case_key, 'base64url'),
        inquiry: toUpload(body.inquiry),
        files: body.files.map(toUpload),
        keepDays: body.keep_days,
        termsVersion: body.terms_version,
        sealedBy: 'browser',
        recipientSet: body.sealing_set ?? null,
      });
      if (sessionId !== null) await clearFormSession(services, request, reply, sessionId);
      return { due: toShownTime(negotiateLanguage(request), record.due_at) };
    },
  );
}

/** For the script of a paid form: creates or deletes the service's half of the key of a draft, and closes the form. */
function addDraftRoutes(
  app: App,
  services: Pick<Services, 'clock' | 'paymentProvider' | 'keyring' | 'store'>,
): void {
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
  // The payment stays valid: the link in the e-mail opens the form again.
  app.delete(INQUIRY_PATH, { config }, async (request, reply) => {
    await clearFormSession(services, request, reply, requireSenderSession(services, request));
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
