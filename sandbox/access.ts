/** Requires the configured API key and the pinned API version. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createInvalidRequestError, ProviderApiError } from './errors.ts';
import { STRIPE_API_VERSION } from './events.ts';

export function requireApiAccess(headers: IncomingHttpHeaders, secretKey: string): void {
  const key = readApiKey(headers.authorization ?? '');
  if (key === undefined || !isSameSecret(key, secretKey)) {
    const message = key === undefined ? 'No API key was given.' : 'The API key is not valid.';
    throw new ProviderApiError(401, { type: 'invalid_request_error', message });
  }
  // Without the header the account's default version applies, which is the pinned one.
  const version = headers['stripe-version'] ?? STRIPE_API_VERSION;
  if (version !== STRIPE_API_VERSION) {
    throw createInvalidRequestError(`The sandbox speaks only the API version ${STRIPE_API_VERSION}.`);
  }
}

function readApiKey(authorization: string): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization);
  if (bearer) return bearer[1];
  const basic = /^Basic +(\S+)$/i.exec(authorization);
  // RFC 7617 §2: the key is the user name and the password stays empty.
  return basic ? Buffer.from(basic[1]!, 'base64').toString().split(':')[0] : undefined;
}

function isSameSecret(one: string, other: string): boolean {
  const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(computeDigest(one), computeDigest(other));
}
