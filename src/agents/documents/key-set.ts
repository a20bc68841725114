/** The public part of the server's signing key (RFC 7517 §5), served at `jwks_uri`. */
import { oauthPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

/** It makes keys, which the start has no need of. */
const loadKeyModule = createLazy(() => import('#oauth/signing-key.ts'));

/** Not by the engine, whose answer cannot be cached. */
export function addKeySetRoutes(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  addPublicDocumentRoutes(app, {
    path: oauthPaths.jwks,
    type: 'application/jwk-set+json',
    createText: async () => {
      const { loadSigningKey } = await loadKeyModule();
      const { kty, crv, x, y, kid, alg, use } = await loadSigningKey(services);
      return serializeJson({ keys: [{ kty, crv, x, y, kid, alg, use }] });
    },
  });
}
