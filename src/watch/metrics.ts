/** All metrics: those that count what happens, and the gauges, which are read when a program asks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProviderCallObserver } from '#payments/payment-provider.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { LOG_EVENT_NAMES, type Log, type LogEventName } from '#platform/log.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import { type GaugeSources, gaugeDefinitions } from './gauges.ts';

const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** Other methods share one label, because a stranger may send any method that the parser knows. */
const METHODS = new Set<unknown>(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);

const KEPT_MS = 5 * SECOND_MS;
/** A hanging database must not hold up the other gauges; readiness waits two seconds for it. */
const READ_MS = 4 * SECOND_MS;

/** Counts requests, calls to the payment provider, and events of the log. */
export function createMeter() {
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
  const observeProviderCall: ProviderCallObserver = (outcome, seconds) =>
    providerCalls.observe({ outcome }, seconds);
  const countRequest = createRequestCounter(registry);
  return {
    registry,
    /** Returns a log that also counts the events written to it. */
    meterLog: (log: Log): Log => ({
      ...log,
      event: (name: LogEventName, fields: LogFields = {}) => {
        log.event(name, fields);
        if (name === 'request') countRequest(fields);
        else events.inc({ event: name });
      },
    }),
    observeProviderCall,
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

/** The gauges are read at most every few seconds, so that scrapers do not load the store. */
export function createMetricsRenderer(registry: Registry, sources: GaugeSources): () => Promise<string> {
  const registers = [registry];
  const failures = new Gauge({
    name: 'office_gauge_failed',
    help: '1 for a gauge that could not be read and is therefore absent',
    labelNames: ['gauge'],
    registers,
  });
  const refreshers = Object.entries(gaugeDefinitions).map(([name, { help, label, read }]) => {
    const gauge = new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers });
    return async () => {
      const reading = (async () => toLabelledValues(await read(sources), label))();
      const values = await Promise.race([reading.catch(() => null), sleep(READ_MS, null, { ref: false })]);
      failures.set({ gauge: name }, Number(values === null));
      gauge.reset();
      // Resetting a gauge without labels would set it to zero, but an unknown value should be absent.
      if (label === undefined) gauge.remove();
      for (const [labels, value] of values ?? []) gauge.set(labels, value);
    };
  });
  const refreshOnce = createSingleFlight();
  let refreshedAt = -Infinity;
  return async () => {
    if (performance.now() - refreshedAt >= KEPT_MS)
      await refreshOnce('gauges', async () => {
        await Promise.all(refreshers.map((refresh) => refresh()));
        refreshedAt = performance.now();
      });
    return await registry.metrics();
  };
}

type LabelledValue = readonly [labels: Record<string, string>, value: number];

function toLabelledValues(
  reading: number | null | Readonly<Record<string, number | null>>,
  label: string | undefined,
): LabelledValue[] {
  const entries: (readonly [string, number | null])[] =
    typeof reading === 'object' && reading !== null ? Object.entries(reading) : [['', reading]];
  return entries.flatMap(([key, value]) =>
    value === null ? [] : [[label === undefined ? {} : { [label]: key }, value] as const],
  );
}
