/** Submits an inquiry for a paid order, which opens a case, and lists the public keys to seal it to. */
import { type Static, Type } from 'typebox';
import { computeCaseOwnerTag, deriveCaseViewer } from '#cases/access.ts';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import {
  type ClientSealedInquiry,
  type InquirySubmission,
  submitPlainInquiry,
  submitSealedInquiry,
} from '#cases/intake/submit-inquiry.ts';
import { requireAcceptedTerms } from '#cases/intake/terms.ts';
import { toUpload } from '#cases/intake/uploads.ts';
import { requireCaller } from '#oauth/guard.ts';
import type { App } from '#platform/http/app-type.ts';
import {
  InquiryIdempotencyHeaderSchema,
  isUnguessableKey,
  readIdempotencyKey,
} from '#platform/http/idempotency-key.ts';
import { describeAnswer } from '#platform/http/operation.ts';
import { describeObject, HashText } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { type KeyedRequest, toIdempotentRequest } from '#store/idempotent-request.ts';
import type { RecordOwner } from '#store/owner.ts';
import { OpenedCaseSummary, toCaseSummary } from './case-view.ts';
import { InquiryBody, requireEitherOr } from './inquiry-body.ts';

/** Fits a 64 KiB envelope and a case key for several investigators, as base64url. A larger envelope is uploaded. */
export const INQUIRY_BYTES = 128 * 1024;

export function addInquiryRoutes(app: App, services: Services): void {
  app.post(
    '/inquiries',
    {
      config: {
        access: 'case:write',
        budget: 'inquiries',
        problems: [
          'payment_required',
          'order_redeemed',
          'order_refunded',
          'terms_changed',
          'payment_held',
          'not_found',
          'case_exists',
          'upload_incomplete',
          'not_sealed',
          'sealing_keys_changed',
          'sealing_keys_changing',
          'idempotency_key_reused',
          'payment_provider_unavailable',
          'sealing_unavailable',
        ],
      },
      bodyLimit: INQUIRY_BYTES,
      schema: {
        operationId: 'createInquiry',
        tags: ['inquiries'],
        summary: 'Submits the inquiry that an order has paid for, and opens its case',
        description:
          'Give either `order_id` or `session_id`, and either `sealed` or `plain`; in `sealed`, either `envelope` or `inquiry`. If the caller seals the inquiry, the service never holds its text. A plain inquiry is sealed on arrival, before anything is stored; the case has `sealed_by: server`, and files are for the person to add on the page `/case` with the words. Sending it again with the same Idempotency-Key or the same words opens no second case; a random key also gives the words again.',
        headers: InquiryIdempotencyHeaderSchema,
        body: InquiryBody,
        response: {
          201: describeAnswer(OpenedCaseSummary, {
            headers: { Location: 'The address of the case, for `getCase`.' },
          }),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      requireEitherOr(body, [
        ['order_id', 'session_id'],
        ['sealed', 'plain'],
      ]);
      if (body.sealed) requireEitherOr(body.sealed, [['envelope', 'inquiry']], '/sealed');
      const key = readIdempotencyKey(request);
      const opened = await submitCallerInquiry(services, requireCaller(request), body, { key, body });
      reply.code(201).header('location', `${services.addresses.api}/cases/${opened.id}`);
      return opened;
    },
  );
}

export async function submitCallerInquiry(
  services: Services,
  caller: RecordOwner,
  body: InquiryBody,
  repeat: Pick<KeyedRequest, 'key' | 'body'>,
): Promise<Static<typeof OpenedCaseSummary>> {
  await requireAcceptedTerms(services, body.terms_version);
  const { key } = repeat;
  const submission: InquirySubmission = {
    viewer: await deriveCaseViewer(services, caller),
    caller,
    order: body.order_id === undefined ? { sessionId: body.session_id ?? '' } : { orderId: body.order_id },
    keepDays: body.keep_days ?? DEFAULT_KEEP_DAYS,
    termsVersion: body.terms_version,
    wordsKey: key !== null && isUnguessableKey(key) ? key : null,
    repeat: toIdempotentRequest(services.keyring, {
      scope: `inquiry of ${computeCaseOwnerTag(services.keyring, caller)}`,
      ...repeat,
    }),
  };
  const { record, isRepeated, words } = body.sealed
    ? await submitSealedInquiry(services, submission, toSealedInquiry(body.sealed))
    : await submitPlainInquiry(services, submission, {
        inquiry: body.plain?.inquiry ?? {},
        words: body.plain?.words ?? null,
      });
  const opened = {
    ...toCaseSummary(record, services.clock.now()),
    ...(isRepeated ? { repeated: true as const } : {}),
  };
  if (!body.plain || body.plain.words !== undefined) return opened;
  // Explains why a repeated request gets no words.
  if (words === null) return { ...opened, words_repeatable: false };
  return { ...opened, words, words_repeatable: submission.wordsKey !== null };
}

function toSealedInquiry(sealed: NonNullable<InquiryBody['sealed']>): ClientSealedInquiry {
  const { lookup_hash: lookupHash, case_key: caseKey, envelope = '', inquiry, files = [] } = sealed;
  return {
    lookupHash,
    recipientSet: sealed.sealing_set ?? null,
    caseKey: Buffer.from(caseKey, 'base64url'),
    inquiry: inquiry ? toUpload(inquiry) : Buffer.from(envelope, 'base64url'),
    files: files.map(toUpload),
  };
}

const Recipient = Type.String({
  pattern: '^age1pq1[a-z0-9]+$',
  description: 'A post-quantum age recipient.',
});
const SealingKeys = describeObject(
  {
    desk: Type.Array(Recipient, {
      minItems: 1,
      maxItems: 100,
      description: 'One key for each investigator.',
    }),
    recovery: Recipient,
    set: Type.String({
      ...HashText,
      description: 'Tells these keys from any others; send it as `sealing_set` with what you sealed.',
    }),
  },
  {
    title: 'SealingKeys',
    examples: [{ desk: ['age1pq1desk'], recovery: 'age1pq1recovery', set: 'A'.repeat(43) }],
  },
);

export function addSealingKeyRoutes(app: App, { sealingKeys }: Pick<Services, 'sealingKeys'>): void {
  app.get(
    '/sealing-keys',
    {
      config: { access: 'public', anyOrigin: true },
      schema: {
        operationId: 'getSealingKeys',
        tags: ['inquiries'],
        summary: 'Lists the public keys to seal to',
        description:
          'Seal the key of a case to every `desk` key, to `recovery` and to the words; seal a contact message to every `desk` key. Fetch the keys again for each inquiry, because they change.',
        response: { 200: SealingKeys },
      },
    },
    async () => {
      const { desk, recovery, set } = await sealingKeys;
      return { desk: [...desk], recovery, set };
    },
  );
}
