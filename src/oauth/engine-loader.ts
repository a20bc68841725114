/** Loads the engine with the first request that needs it, and shows it every request under our own name. */
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Frame } from '#view/page.ts';
import type { Office } from './office.ts';
import { refusalAnswer } from './refusal-page.ts';

export type Engine = () => Promise<Provider>;

/** A third of the service's own start, so the start does not wait for it. */
export function lazyEngine(office: Office, frame: Frame): Engine {
  let started: Promise<Provider> | undefined;
  return async () => {
    started ??= import('./engine.ts').then(({ startEngine }) => startEngine(office, refusalAnswer(frame)));
    try {
      return await started;
    } catch (error) {
      // The record store may have been away: the next request tries again.
      started = undefined;
      throw error;
    }
  };
}

/** The engine believes the Host header; whatever a client or a proxy wrote there, it sees the issuer. */
export function pinned(request: FastifyRequest, issuer: URL): FastifyRequest {
  const { headers } = request.raw;
  headers.host = issuer.host;
  headers['x-forwarded-proto'] = 'https';
  delete headers['x-forwarded-host'];
  return request;
}
