/** Parses forms that browsers send, and recognizes what comes from our own pages. */
import type { FastifyRequest } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app-type.ts';
import { httpLimits } from './limits/limits.ts';

/** For a separate Fastify scope: its routes accept only forms. */
export function addFormPostParser(app: App, addresses: PublicAddresses): void {
  app.removeAllContentTypeParsers();
  addUrlEncodedParser(app);
  addSameOriginCheck(app, addresses);
  // A request without a body is a form without fields.
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST') request.body ??= new URLSearchParams();
  });
}

/** For a separate Fastify scope: its routes also accept forms. `toBody` converts the fields to the request's body. */
export function addUrlEncodedParser(
  app: App,
  toBody: (fields: URLSearchParams) => unknown = (fields) => fields,
): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      try {
        done(null, toBody(parseFormBody(String(body))));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

export function parseFormBody(text: string): URLSearchParams {
  if (countParameters(text) > httpLimits.formFields) throw new ServiceError('payload_too_large');
  if (text.includes('%00') || text.includes('\0'))
    throw new ServiceError('malformed_request', { detail: 'A field has the character U+0000.' });
  return new URLSearchParams(text);
}

/** For a separate Fastify scope: only our own pages may send requests that change something. */
export function addSameOriginCheck(app: App, addresses: PublicAddresses): void {
  app.addHook('onRequest', async (request) => {
    const isUnsafe = request.method !== 'GET' && request.method !== 'HEAD';
    if (isUnsafe && !isOwnForm(request, addresses)) throw new ServiceError('foreign_form');
  });
}

/** Whether one of our pages led to this visit, which may change the browser. Older browsers, which cannot say, pass. */
export function isOwnVisit({ headers: { 'sec-fetch-site': from = 'same-origin' } }: FastifyRequest): boolean {
  return from === 'same-origin';
}

/**
 * Browsers since 2023 send Sec-Fetch-Site. Older browsers and programs send at most Origin, which our own
 * `no-referrer` policy turns into `null`, so only another site's origin is refused. An old browser can therefore
 * still send a form from elsewhere. That is harmless unless the form uses something the browser stores, such as a
 * cookie: such a form must also require a token.
 */
function isOwnForm({ headers }: FastifyRequest, { site }: PublicAddresses): boolean {
  const fetchSite = headers['sec-fetch-site'];
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none';
  const { origin = 'null' } = headers;
  return origin === 'null' || origin === site;
}

/** Counts the parameters of a form or URL without parsing them, because parsing very many can be slow. */
export function countParameters(text: string): number {
  let count = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) count += 1;
  return count;
}
