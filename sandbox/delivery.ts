/** Posts one signed event to the service, trusting the service's own certificate besides the default CAs. */
import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createSecureContext, getCACertificates } from 'node:tls';
import { getUnixSeconds } from './clock.ts';
import type { SandboxSettings } from './settings.ts';

/** Sends a payload and returns the response status, or 0 if there was no response. */
export type WebhookSender = (payload: string, stop: AbortSignal) => Promise<number>;

const RESPONSE_TIMEOUT_MS = 10_000;

export function createWebhookSender(settings: SandboxSettings): WebhookSender {
  let trusted = '';
  let agent: Agent | undefined;
  return async (payload, stop) => {
    const certificates = await readCertificates(join(settings.dataDir, 'tls'));
    if (agent === undefined || trusted !== certificates.join('\n')) {
      // Parsing the CAs takes milliseconds, so only when the service's certificate has changed.
      trusted = certificates.join('\n');
      const secureContext = createSecureContext({ ca: [...getCACertificates('default'), ...certificates] });
      agent = new Agent({ secureContext });
    }
    return postWebhook(settings.webhookUrl, payload, {
      agent,
      signature: signPayload(payload, settings.webhookSecrets),
      signal: AbortSignal.any([stop, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    });
  };
}

function postWebhook(
  url: string,
  payload: string,
  options: { agent: Agent; signature: string; signal: AbortSignal },
): Promise<number> {
  const body = Buffer.from(payload);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-cache',
    'user-agent': 'Stripe/1.0 (+sandbox)',
    'stripe-signature': options.signature,
  };
  const { promise, resolve } = Promise.withResolvers<number>();
  const outgoing = request(url, { method: 'POST', headers, agent: options.agent, signal: options.signal });
  outgoing.on('error', () => resolve(0));
  outgoing.on('response', (response) => {
    response.on('error', () => resolve(0));
    response.on('end', () => resolve(response.statusCode ?? 0));
    response.resume();
  });
  outgoing.end(body);
  return promise;
}

/** One timestamp, and one signature per secret, as the provider sends while a secret is being rotated. */
function signPayload(payload: string, secrets: readonly string[]): string {
  const timestamp = getUnixSeconds();
  const signatures = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex'),
  );
  return [`t=${timestamp}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}

async function readCertificates(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /\.(pem|crt)$/.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return texts.flatMap(
    (text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [],
  );
}
