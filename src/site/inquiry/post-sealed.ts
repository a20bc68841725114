/** The inquiry as the script of the form sends it: sealed in the browser, uploaded in pieces, then opened as a case. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { KEEP_DAYS } from '#cases/retention.ts';
import { timeText } from '#cases/status-text.ts';
import { TERMS_VERSION } from '#cases/terms.ts';
import { keepUploadPiece, uploadHolder } from '#cases/uploads.ts';
import { sessionTag } from '#payments/session-id.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { demandOwnPages } from '#platform/http/form-post.ts';
import { Base64url, closed, Id } from '#platform/http/shapes.ts';
import { MAX_FILES } from '#seal/inquiry.ts';
import type { Services } from '#services.ts';
import { PIECE_BYTES } from '#store/objects.ts';
import { mayOpenCase } from '#store/orders.ts';
import { LookupText } from '#wire/lookup-text.ts';
import { forgetSession, sessionOf } from './form-session.ts';

/** The largest inquiry has some 460 pieces. */
const PIECES_PER_MINUTE = 3_000;
const SENDS_PER_MINUTE = 20;
const MOST_PIECES = 200;

const Upload = Type.Object({ upload: Id, size: Type.Integer({ minimum: 1 }) }, closed);
const Sealed = Type.Object(
  {
    lookup_hash: LookupText,
    case_key: Base64url,
    inquiry: Upload,
    files: Type.Array(Upload, { maxItems: MAX_FILES }),
    keep_days: Type.Enum([...KEEP_DAYS]),
    terms_version: Type.Literal(TERMS_VERSION),
  },
  closed,
);
const Place = Type.Object({ upload: Id, piece: Type.String({ pattern: '^(0|[1-9][0-9]{0,2})$' }) });
const Opened = Type.Object({ due_at: Type.String(), due: Type.String() });

/** In a scope of its own: programs of our own pages alone. */
export function addSealedInquiry(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
): void {
  demandOwnPages(app, services.addresses);
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: PIECE_BYTES },
    (_request, body, done) => done(null, body),
  );
  app.put(
    '/inquiry/uploads/:upload/:piece',
    {
      config: { access: 'public', upload: true, rateLimit: { max: PIECES_PER_MINUTE } },
      schema: { params: Place },
      // Before the body is read: a stranger must not make us hold it.
      onRequest: async (request) => await demandPaidSession(services, request),
    },
    async (request, reply) => {
      const { upload, piece } = request.params;
      if (Number(piece) >= MOST_PIECES || !Buffer.isBuffer(request.body))
        throw new ServiceError('payload_too_large');
      const holder = uploadHolder(services.keyring, { sessionId: senderOf(services, request) ?? '' });
      await keepUploadPiece(services, holder, { upload, piece: Number(piece), bytes: request.body });
      return reply.code(204).send();
    },
  );
  app.post(
    '/inquiry/sealed',
    {
      config: { access: 'public', rateLimit: { max: SENDS_PER_MINUTE } },
      schema: { body: Sealed, response: { 200: Opened } },
    },
    async (request, reply) => {
      // Loaded at first use: docs/decisions/0010.
      const { openCase } = await import('#cases/open-case.ts');
      const { body } = request;
      const sessionId = senderOf(services, request);
      const { due_at: due } = await openCase(services, sessionId === null ? null : { sessionId }, {
        lookupHash: body.lookup_hash,
        caseKey: Buffer.from(body.case_key, 'base64url'),
        inquiry: uploadOf(body.inquiry),
        files: body.files.map(uploadOf),
        keepDays: body.keep_days,
        termsVersion: body.terms_version,
        sealedBy: 'browser',
      });
      if (sessionId !== null) forgetSession(services, request, reply, sessionId);
      return { due_at: new Date(due).toISOString(), due: timeText(due) };
    },
  );
}

async function demandPaidSession(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  request: FastifyRequest,
): Promise<void> {
  const { keyring, store } = services;
  const sessionId = senderOf(services, request);
  if (sessionId === null) throw new ServiceError('form_expired');
  if (!(await mayOpenCase(store.records, sessionTag(keyring, sessionId))))
    throw new ServiceError('payment_required');
}

function uploadOf({ upload, size }: { upload: string; size: number }) {
  return { id: upload, size };
}

function senderOf(services: Pick<Services, 'clock' | 'keyring'>, request: FastifyRequest): string | null {
  const token = request.headers['x-form-token'];
  return typeof token === 'string' ? sessionOf(services, request, token) : null;
}
