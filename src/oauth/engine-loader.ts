/** Loads the OAuth engine on the first request that needs it, and sets the origin of the requests it gets. */
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { PublicAddresses } from '#platform/addresses.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import type { PageFrame } from '#view/page.ts';
import type { EngineServices } from './engine.ts';
import { createOAuthErrorRenderer } from './refusal-page.ts';

interface LoadedOAuthEngine {
  readonly provider: Provider;
  readonly handleRequest: ReturnType<Provider['callback']>;
}

export type OAuthEngineLoader = Lazy<LoadedOAuthEngine>;

/** Loaded once. Loading takes a quarter of the start time, so the start does not wait for it. */
const loadEngineModule = createLazy(() => import('./engine.ts'));

export function createOAuthEngineLoader(services: EngineServices, frame: PageFrame): OAuthEngineLoader {
  // If the record store is unavailable, the next request tries again.
  return createLazy(() => loadOAuthEngine(services, frame));
}

async function loadOAuthEngine(services: EngineServices, frame: PageFrame): Promise<LoadedOAuthEngine> {
  const { createOidcProvider } = await loadEngineModule();
  const provider = await createOidcProvider(services, createOAuthErrorRenderer(frame));
  return { provider, handleRequest: provider.callback() };
}

/** The engine trusts the Host header, so it is always set to the issuer, whatever a client or proxy sent. */
export function pinRequestOrigin(request: FastifyRequest, { site }: PublicAddresses): FastifyRequest {
  const { headers } = request.raw;
  headers.host = site.slice('https://'.length);
  headers['x-forwarded-proto'] = 'https';
  // Deleting a missing property would slow down every later access to the headers.
  if (headers['x-forwarded-host'] !== undefined) delete headers['x-forwarded-host'];
  return request;
}
