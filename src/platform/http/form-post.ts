/** Forms that browsers send: taken only from our own pages, and read as named fields. */
import type { FastifyRequest } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';

/** For a scope of its own: its routes then take forms and nothing else. */
export function addFormPostParser(app: App, addresses: PublicAddresses): void {
  app.removeAllContentTypeParsers();
  addUrlEncodedParser(app);
  addSameOriginCheck(app, addresses);
}

/** For a scope of its own, whose routes then take forms too: as their fields, or as what `toBody` makes of them. */
export function addUrlEncodedParser(
  app: App,
  toBody: (fields: URLSearchParams) => unknown = (fields) => fields,
): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, toBody(new URLSearchParams(String(body)))),
  );
}

/** For a scope of its own: whatever its routes change is changed from our own pages alone. */
export function addSameOriginCheck(app: App, addresses: PublicAddresses): void {
  app.addHook('onRequest', async (request) => {
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    if (changes && !isOwnForm(request, addresses)) throw new ServiceError('foreign_form');
  });
}

/**
 * Browsers since 2023 say where a form came from. An older one, or a program, says at most its Origin, which our
 * own `no-referrer` turns into `null`: only a foreign one is telling, so it is refused. That leaves a form sent from
 * elsewhere by an old browser, which is harmless where the form spends nothing that the browser holds. One that
 * does must demand a token as well.
 */
function isOwnForm({ headers }: FastifyRequest, { site }: PublicAddresses): boolean {
  const from = headers['sec-fetch-site'];
  if (from !== undefined) return from === 'same-origin' || from === 'none';
  const { origin = 'null' } = headers;
  return origin === 'null' || origin === site;
}
