/** Reads the Idempotency-Key header, which makes it safe to repeat a request after a lost response. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';

/** Visible field characters (RFC 9110 §5.5); the payment provider has the same maximum length. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Only documents the header; `readIdempotencyKey` checks the value, with a clearer error than the schema's. */
export const IdempotencyHeaderSchema = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: `Chosen by the caller, a new one for each thing to create: 1 to 255 visible ASCII characters. For ${IDEMPOTENCY_KEY_HOURS} hours, requests with the same key create nothing twice, and a different body with the same key is refused.`,
      examples: ['5f0c1c1e-0b0e-4c57-9d0a-6a4a3c1f8a11'],
    }),
  ),
});

export function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const key: unknown = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new ServiceError('malformed_request', {
    detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  });
}
