/** Payments under {base_url}: whether they are active, a checkout, and the provider's events. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { checkout } from '#payments/checkout.ts';
import { tierNames } from '#payments/tiers.ts';
import type { Till } from '#payments/till.ts';
import { receiveEvent } from '#payments/webhook.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';

const Status = Type.Object({ configured: Type.Boolean() });
const Checkout = Type.Object(
  { tier: Type.Enum(tierNames, { type: 'string' }) },
  { additionalProperties: false },
);
const Session = Type.Object({ url: Type.String({ format: 'uri' }) });
const Received = Type.Object({ received: Type.Literal(true) });

const CHECKOUTS_PER_MINUTE = 60;
const EVENT_BYTES = 256 * 1_024;
/** RFC 9110 field characters without blanks; the provider's own keys are as long at most. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export function addPayments(app: App, till: Till): void {
  app.get(
    '/stripe/status',
    { config: { access: { optional: 'pricing:read' } }, schema: { response: { 200: Status } } },
    async () => ({ configured: till.gateway.configured }),
  );
  app.post(
    '/stripe/checkout',
    {
      config: { access: { optional: 'case:write' }, rateLimit: { max: CHECKOUTS_PER_MINUTE } },
      schema: { body: Checkout, response: { 200: Session } },
    },
    async (request) => ({
      url: await checkout(till, {
        tier: request.body.tier,
        key: idempotencyKey(request),
        clientId: request.caller?.clientId ?? null,
      }),
    }),
  );
}

/** In a scope of its own: a signature covers the bytes as they came, so nothing may parse them before. */
export function addWebhook(app: App, till: Till): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post(
    '/stripe/webhook',
    {
      config: { access: 'public', rateLimit: false },
      bodyLimit: EVENT_BYTES,
      schema: { response: { 200: Received } },
    },
    async (request) => {
      const signature = request.headers['stripe-signature'];
      await receiveEvent(till, bytesOf(request), typeof signature === 'string' ? signature : undefined);
      return { received: true } as const;
    },
  );
}

function bytesOf({ body }: FastifyRequest): Buffer {
  if (!Buffer.isBuffer(body)) throw new ServiceError('signature_invalid');
  return body;
}

function idempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new ServiceError('malformed_request', {
    detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  });
}
