/** Connects the meter, the metrics and the listener if a port is configured; otherwise none of them is loaded. */
import type { Config } from '#platform/config/config.ts';
import { type HttpListeners, openLoopbackListeners } from '#platform/http/listen.ts';
import type { GaugeSources } from './gauges.ts';
import type { Meter } from './meter.ts';

export interface Management extends Pick<Meter, 'meterLog' | 'observeProviderCall'> {
  readonly listen: (sources: Omit<GaugeSources, 'config'>) => Promise<HttpListeners>;
}

export async function prepareManagement(
  config: Pick<Config, 'dataDir' | 'listen'>,
): Promise<Management | null> {
  const { metricsPort } = config.listen;
  if (metricsPort === null) return null;
  const { createMeter } = await import('./meter.ts');
  const { createMetricsRenderer } = await import('./metrics.ts');
  const { createManagementListener } = await import('./management-listener.ts');
  const { registry, meterLog, observeProviderCall } = createMeter();
  return {
    meterLog,
    observeProviderCall,
    listen: async (sources) => {
      const renderMetrics = createMetricsRenderer(registry, { ...sources, config });
      const metricsType = registry.contentType;
      const { services } = sources;
      const server = createManagementListener({ services, renderMetrics, metricsType });
      return await openLoopbackListeners(server, metricsPort);
    },
  };
}
