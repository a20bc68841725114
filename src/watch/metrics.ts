/** Renders all metrics; the gauges are read at most every few seconds, so that scrapers do not load the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { SECOND_MS } from '#platform/durations.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import { type GaugeSources, gaugeDefinitions } from './gauges.ts';

const KEPT_MS = 5 * SECOND_MS;
/** A hanging database must not hold up the other gauges; readiness waits two seconds for it. */
const READ_MS = 4 * SECOND_MS;

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
      const values = await withTimeLimit(async () => toLabelledValues(await read(sources), label));
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

/** Returns null if the work fails or takes too long. */
async function withTimeLimit<Result>(work: () => Promise<Result>): Promise<Result | null> {
  return await Promise.race([work().catch(() => null), sleep(READ_MS, null, { ref: false })]);
}
