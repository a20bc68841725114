/** Refuses new requests while the event loop or the store falls behind, so that those already accepted are answered. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { httpLimits } from './limits.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 1_000;
/** A single long task, such as loading a module, is not an overload. */
const SAMPLES_BEHIND = 2;

/** `readWaitMs` tells how long the first in the line for the store has waited. */
export function addLoadShedding(app: App, readWaitMs: () => number): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let samplesBehind = 0;
  const timer = setInterval(() => {
    const behindMs = delays.count === 0 ? SAMPLE_MS : delays.mean / 1e6 - RESOLUTION_MS;
    samplesBehind = behindMs > httpLimits.eventLoopDelayMs ? samplesBehind + 1 : 0;
    delays.reset();
  }, SAMPLE_MS).unref();
  app.addHook('onRequest', (request, _reply, done) => {
    const isBehind = samplesBehind >= SAMPLES_BEHIND || readWaitMs() > httpLimits.storeWaitMs;
    // Before its body is read: to refuse costs little, and whoever came first gets the time.
    const shed = isBehind && !request.routeOptions.config.liveness;
    done(shed ? new ServiceError('overloaded') : undefined);
  });
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delays.disable();
  });
}
