/** The management listener: metrics, readiness and health for programs on this machine, in plain HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '#platform/config/config.ts';
import { VERSION } from '#platform/config/version.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { type HttpListeners, openLoopbackListeners } from '#platform/http/listen.ts';
import { countOutbox } from '#store/outbox.ts';
import type { GaugeSources } from './gauges.ts';
import { createMeter, createMetricsRenderer } from './metrics.ts';
import { reportReadiness } from './readiness.ts';

const MAX_CONNECTIONS = 32;
const JSON_TYPE = 'application/json; charset=utf-8';
const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
};

interface ManagementAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

interface ManagementOptions {
  readonly services: GaugeSources['services'];
  readonly renderMetrics: () => Promise<string>;
  readonly metricsType: string;
}

/** Loaded only if a port is configured. */
export function createManagement(config: Pick<Config, 'dataDir'>, port: number) {
  const { registry, meterLog, observeProviderCall } = createMeter();
  return {
    meterLog,
    observeProviderCall,
    listen: async (sources: Omit<GaugeSources, 'config'>): Promise<HttpListeners> => {
      const renderMetrics = createMetricsRenderer(registry, { ...sources, config });
      const { services } = sources;
      const server = createListener({ services, renderMetrics, metricsType: registry.contentType });
      return await openLoopbackListeners(server, port);
    },
  };
}

function createListener(options: ManagementOptions): Server {
  const server = createServer(
    {
      maxHeaderSize: httpLimits.headerBytes,
      headersTimeout: httpLimits.headersMs,
      requestTimeout: httpLimits.requestMs,
      connectionsCheckingInterval: httpLimits.checkMs,
      // Many health checks send no Host header.
      requireHostHeader: false,
    },
    (request, response) => void sendAnswer(options, request, response),
  );
  server.setTimeout(httpLimits.silenceMs);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function sendAnswer(
  options: ManagementOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, type, body } = await answerRequest(options, request).catch(() => formatText(500, 'failed'));
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
  response.writeHead(status, {
    ...headers,
    ...allow,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerRequest(
  { services, renderMetrics, metricsType }: ManagementOptions,
  { url = '', method = '', rawHeaders }: IncomingMessage,
): Promise<ManagementAnswer> {
  if (!isAddressedToLoopback(rawHeaders)) return formatText(403, 'only for this machine');
  const path = url.split('?', 1)[0] ?? '';
  const answers: Readonly<Record<string, () => Promise<ManagementAnswer>>> = {
    '/metrics': async () => ({ status: 200, type: metricsType, body: await renderMetrics() }),
    '/ready': async () => {
      const report = await reportReadiness(services);
      const given = { ...report, dead_letters: await countDeadLetters(services), version: VERSION };
      return formatJson(report.status === 'ready' ? 200 : 503, given);
    },
    '/health': async () => formatJson(200, { status: 'ok' }),
  };
  if (!Object.hasOwn(answers, path)) return formatText(404, 'not found');
  if (method !== 'GET' && method !== 'HEAD') return formatText(405, 'method not allowed');
  return await answers[path]!();
}

/** Dead letters do not prevent purchases, so the service stays ready. Null if the database is unreachable. */
async function countDeadLetters({ store, clock }: ManagementOptions['services']): Promise<number | null> {
  const counts = await countOutbox(store.records, clock.now()).catch(() => null);
  return counts?.dead ?? null;
}

/** Against DNS rebinding: a browser sends the attacker's name as Host. A probe without a Host is not a browser. */
function isAddressedToLoopback(rawHeaders: readonly string[]): boolean {
  const hosts = rawHeaders.filter(
    (_text, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host',
  );
  return hosts.every((host) => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])?(?::\d{1,5})?$/i.test(host));
}

function formatJson(status: number, value: unknown): ManagementAnswer {
  return { status, type: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}

function formatText(status: number, text: string): ManagementAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
