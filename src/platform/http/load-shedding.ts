/** Refuses requests while the event loop falls behind, so that those already taken are still answered. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { limits } from './limits.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 500;

export function addLoadShedding(app: App): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let behindMs = 0;
  const timer = setInterval(() => {
    behindMs = delays.count === 0 ? SAMPLE_MS : delays.mean / 1e6 - RESOLUTION_MS;
    delays.reset();
  }, SAMPLE_MS).unref();
  app.addHook('onRequest', (request, _reply, done) => {
    const shed = behindMs > limits.eventLoopDelayMs && !request.routeOptions.config.liveness;
    done(shed ? new ServiceError('overloaded') : undefined);
  });
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delays.disable();
  });
}
