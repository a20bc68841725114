/** Submits an inquiry for a paid order; what comes of it is a case. */
import { viewerOf } from '#cases/access.ts';
import { KEEP_DAYS } from '#cases/retention.ts';
import type { InPlain, SealedByClient, Submission } from '#cases/submit-inquiry.ts';
import { type Caller, callerOf } from '#oauth/guard.ts';
import type { NamedOrder } from '#payments/paid-order.ts';
import type { App } from '#platform/http/app.ts';
import { IdempotencyHeader, idempotencyKey } from '#platform/http/idempotency-key.ts';
import { described } from '#platform/http/operation.ts';
import type { Services } from '#services.ts';
import { repeatOf } from '#store/idempotent-request.ts';
import { OpenedCase, summaryOf } from './case-view.ts';
import { eitherOr } from './either-or.ts';
import { InquiryBody } from './inquiry-body.ts';

const SENDS_PER_MINUTE = 60;
/** An envelope of 64 KiB and a key for some investigators, as base64url; a larger envelope is uploaded. */
const INQUIRY_BYTES = 128 * 1024;

export function addInquiries(app: App, services: Services): void {
  app.post(
    '/inquiries',
    {
      config: {
        access: 'case:write',
        rateLimit: { max: SENDS_PER_MINUTE },
        problems: [
          'payment_required',
          'not_found',
          'case_exists',
          'upload_incomplete',
          'not_sealed',
          'idempotency_key_reused',
          'payment_provider_unavailable',
        ],
      },
      bodyLimit: INQUIRY_BYTES,
      schema: {
        ...described({
          operationId: 'createInquiry',
          tag: 'cases',
          summary: 'Submits the inquiry that an order has paid for, and opens its case',
          description:
            'Give either `order_id` or `session_id`, and either `sealed` or `plain`. Sealed by the caller, the service never holds the text; in plain it is sealed on arrival, written nowhere before, takes no files, and the case says `sealed_by: server`. Sent again with the same Idempotency-Key or the same words it opens nothing new.',
        }),
        headers: IdempotencyHeader,
        body: InquiryBody,
        response: { 201: OpenedCase },
      },
    },
    async (request, reply) => {
      const { body } = request;
      eitherOr(body, 'order_id', 'session_id');
      eitherOr(body, 'sealed', 'plain');
      if (body.sealed) eitherOr(body.sealed, 'envelope', 'inquiry', '/sealed');
      const submission = await submissionOf(services, callerOf(request), body, idempotencyKey(request));
      // Loaded at first use: docs/decisions/0010.
      const { submitPlain, submitSealed } = await import('#cases/submit-inquiry.ts');
      const { opened, words } = body.sealed
        ? await submitSealed(services, submission, sealedIn(body.sealed))
        : await submitPlain(services, submission, plainIn(body));
      reply.code(201).header('location', `${services.addresses.api}/cases/${opened.id}`);
      return { ...summaryOf(opened), ...(words === null ? {} : { words }) };
    },
  );
}

async function submissionOf(
  services: Pick<Services, 'keyring' | 'store'>,
  caller: Caller,
  body: InquiryBody,
  key: string | null,
): Promise<Submission> {
  const viewer = await viewerOf(services, caller);
  const scope = `inquiry of ${viewer.owner}`;
  return {
    viewer,
    clientId: caller.clientId,
    named: namedIn(body),
    keepDays: body.keep_days ?? KEEP_DAYS[0],
    termsVersion: body.terms_version,
    repeat: key === null ? null : repeatOf(services.keyring, { scope, key, body }),
  };
}

function namedIn({ order_id: orderId, session_id: sessionId = '' }: InquiryBody): NamedOrder {
  return orderId === undefined ? { sessionId } : { orderId };
}

function sealedIn(sealed: NonNullable<InquiryBody['sealed']>): SealedByClient {
  const { lookup_hash: lookupHash, case_key: caseKey, envelope = '', inquiry, files = [] } = sealed;
  return {
    lookupHash,
    caseKey: Buffer.from(caseKey, 'base64url'),
    inquiry: inquiry ? uploadIn(inquiry) : Buffer.from(envelope, 'base64url'),
    files: files.map(uploadIn),
  };
}

function uploadIn({ upload: id, size }: { readonly upload: string; readonly size: number }) {
  return { id, size };
}

function plainIn({ plain }: InquiryBody): InPlain {
  return { inquiry: plain?.inquiry ?? {}, words: plain?.words ?? null };
}
