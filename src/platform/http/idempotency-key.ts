/** Reads the Idempotency-Key header, which makes it safe to repeat a request after a lost response. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';

/** Visible field characters (RFC 9110 §5.5); the payment provider has the same maximum length. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Base64url, long enough to hold 128 bits; a UUID is longer and has no other characters. */
const UNGUESSABLE_KEY = /^[A-Za-z0-9_-]{22,}$/;

export const IDEMPOTENCY_KEY_MEANING = `Chosen by the caller, a new one for each thing to create: 1 to 255 visible ASCII characters. For at least ${IDEMPOTENCY_KEY_HOURS} hours, requests with the same key create nothing twice, and the same key with other contents is refused.`;

export const ANONYMOUS_KEY_RULE =
  'Without a token it must be random: a UUID, or at least 22 characters of base64url.';

/** Only documents the header; the functions below check the value, with clearer errors than the schema's. */
export const IdempotencyHeaderSchema = describeKeyHeader(IDEMPOTENCY_KEY_MEANING);

/** For an operation that can be called without a token. */
export const AnonymousIdempotencyHeaderSchema = describeKeyHeader(
  `${IDEMPOTENCY_KEY_MEANING} ${ANONYMOUS_KEY_RULE}`,
);

/** For the operation whose answer may have words that are derived from the key. */
export const InquiryIdempotencyHeaderSchema = describeKeyHeader(
  `${IDEMPOTENCY_KEY_MEANING} Store it before you send. Unless it is random, as a UUID is, the words of a plain inquiry come once.`,
);

function describeKeyHeader(text: string) {
  return Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({ description: text, examples: ['5f0c1c1e-0b0e-4c57-9d0a-6a4a3c1f8a11'] }),
    ),
  });
}

export function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  return toIdempotencyKey(headers['idempotency-key']);
}

/** Callers without a token share one set of keys, so theirs must be random enough that no two choose the same. */
export function readAnonymousIdempotencyKey({ headers }: FastifyRequest): string | null {
  return toAnonymousIdempotencyKey(headers['idempotency-key']);
}

export function toIdempotencyKey(key: unknown): string | null {
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new ServiceError('malformed_request', {
    detail: 'An idempotency key must be 1 to 255 visible ASCII characters.',
  });
}

/** Long enough to be random; only the caller knows whether it is. */
export function isUnguessableKey(key: string): boolean {
  return UNGUESSABLE_KEY.test(key);
}

export function toAnonymousIdempotencyKey(value: unknown): string | null {
  const key = toIdempotencyKey(value);
  if (key !== null && !isUnguessableKey(key)) throw new ServiceError('idempotency_key_weak');
  return key;
}
