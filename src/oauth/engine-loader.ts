/** Loads the engine with the first request that needs it, and shows it every request under our own name. */
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Addresses } from '#platform/addresses.ts';
import type { Services } from '#services.ts';
import type { Frame } from '#view/page.ts';
import { refusalAnswer } from './refusal-page.ts';

export interface RunningEngine {
  readonly provider: Provider;
  readonly answer: ReturnType<Provider['callback']>;
}

export type Engine = () => Promise<RunningEngine>;

/** Reading it costs a quarter of what the whole start does, so the start does not wait for it. */
export function lazyEngine(
  services: Pick<Services, 'addresses' | 'clock' | 'log' | 'keyring' | 'store'>,
  frame: Frame,
): Engine {
  let started: Promise<RunningEngine> | undefined;
  return async () => {
    started ??= start(services, frame);
    try {
      return await started;
    } catch (error) {
      // The record store may have been away: the next request tries again.
      started = undefined;
      throw error;
    }
  };
}

async function start(
  services: Pick<Services, 'addresses' | 'clock' | 'log' | 'keyring' | 'store'>,
  frame: Frame,
): Promise<RunningEngine> {
  const { startEngine } = await import('./engine.ts');
  const provider = await startEngine(services, refusalAnswer(frame));
  return { provider, answer: provider.callback() };
}

/** The engine believes the Host header; whatever a client or a proxy wrote there, it sees the issuer. */
export function pinned(request: FastifyRequest, { site }: Addresses): FastifyRequest {
  const { headers } = request.raw;
  headers.host = site.slice('https://'.length);
  headers['x-forwarded-proto'] = 'https';
  delete headers['x-forwarded-host'];
  return request;
}
