/** Loads the engine with the first request that needs it, and shows it every request under our own name. */
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { PublicAddresses } from '#platform/addresses.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import type { PageFrame } from '#view/page.ts';
import { createOAuthErrorRenderer } from './refusal-page.ts';

interface LoadedOAuthEngine {
  readonly provider: Provider;
  readonly answer: ReturnType<Provider['callback']>;
}

export type OAuthEngineLoader = Lazy<LoadedOAuthEngine>;

/** Reading it costs a quarter of what the whole start does, so the start does not wait for it. */
export function createOAuthEngineLoader(
  services: Pick<Services, 'addresses' | 'clock' | 'log' | 'keyring' | 'store'>,
  frame: PageFrame,
): OAuthEngineLoader {
  // The record store may be away at the first request: the next one tries again.
  return createLazy(() => loadOAuthEngine(services, frame));
}

async function loadOAuthEngine(
  services: Pick<Services, 'addresses' | 'clock' | 'log' | 'keyring' | 'store'>,
  frame: PageFrame,
): Promise<LoadedOAuthEngine> {
  const { createOidcProvider } = await import('./engine.ts');
  const provider = await createOidcProvider(services, createOAuthErrorRenderer(frame));
  return { provider, answer: provider.callback() };
}

/** The engine believes the Host header; whatever a client or a proxy wrote there, it sees the issuer. */
export function pinRequestOrigin(request: FastifyRequest, { site }: PublicAddresses): FastifyRequest {
  const { headers } = request.raw;
  headers.host = site.slice('https://'.length);
  headers['x-forwarded-proto'] = 'https';
  delete headers['x-forwarded-host'];
  return request;
}
