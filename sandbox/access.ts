/** Lets requests in that carry the configured key and ask for the pinned API version. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, invalidRequest } from './errors.ts';
import { API_VERSION } from './events.ts';

export function checkAccess(headers: IncomingHttpHeaders, secretKey: string): void {
  const key = keyFrom(headers.authorization ?? '');
  if (key === undefined || !equal(key, secretKey)) {
    const message = key === undefined ? 'No API key was given.' : 'The API key is not valid.';
    throw new ApiError(401, { type: 'invalid_request_error', message });
  }
  // Without the header the account's own version holds, which is the pinned one.
  const version = headers['stripe-version'] ?? API_VERSION;
  if (version !== API_VERSION) {
    throw invalidRequest(`The sandbox speaks only the API version ${API_VERSION}.`);
  }
}

function keyFrom(authorization: string): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization);
  if (bearer) return bearer[1];
  const basic = /^Basic +(\S+)$/i.exec(authorization);
  // RFC 7617 §2: the key is the user name and the password stays empty.
  return basic ? Buffer.from(basic[1]!, 'base64').toString().split(':')[0] : undefined;
}

function equal(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
