/** The metrics that count what happens: requests, calls to the payment provider, events of the log. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { ProviderCallObserver } from '#payments/payment-provider.ts';
import { LOG_EVENT_NAMES, type Log, type LogEventName } from '#platform/log.ts';

const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** Other methods share one label, because a stranger may send any method that the parser knows. */
const METHODS = new Set<unknown>(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);

export interface Meter {
  readonly registry: Registry;
  /** A log that also counts the events written to it. */
  readonly meterLog: (log: Log) => Log;
  readonly observeProviderCall: ProviderCallObserver;
}

export function createMeter(): Meter {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const events = new Counter({
    name: 'office_log_events_total',
    help: 'Lines of the log by event, requests excepted',
    labelNames: ['event'],
    registers,
  });
  // Starts at zero, so that the first occurrence counts as an increase.
  for (const event of LOG_EVENT_NAMES) if (event !== 'request') events.inc({ event }, 0);
  const providerCalls = new Histogram({
    name: 'office_provider_call_seconds',
    help: 'Calls to the payment provider by outcome',
    labelNames: ['outcome'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const countRequest = createRequestCounter(registry);
  return {
    registry,
    meterLog: (log) => ({
      ...log,
      event: (name: LogEventName, fields: LogFields = {}) => {
        log.event(name, fields);
        if (name === 'request') countRequest(fields);
        else events.inc({ event: name });
      },
    }),
    observeProviderCall: (outcome, seconds) => providerCalls.observe({ outcome }, seconds),
  };
}

type LogFields = Readonly<Record<string, unknown>>;

/** The log has the template of the route, or `unknown` for an address without a route. */
function createRequestCounter(registry: Registry): (fields: LogFields) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'office_requests_total',
    help: 'Requests by method, route template and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const latencies = new Histogram({
    name: 'office_request_seconds',
    help: 'Time from the request to the end of its response, by route template',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  return ({ method, route, status, ms }) => {
    const named = METHODS.has(method) ? String(method) : 'other';
    requests.inc({ method: named, route: String(route), status: String(status) });
    if (typeof ms === 'number') latencies.observe({ route: String(route) }, ms / 1_000);
  };
}
