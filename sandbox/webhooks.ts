/** The webhook queue: delivers every event to the service, and retries until it is accepted. */
import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { FaultSwitchboard } from './faults.ts';
import type { SandboxSettings } from './settings.ts';
import { getUnixSeconds, type SandboxState } from './state.ts';

interface Delivery {
  readonly id: number;
  readonly event: string;
  readonly attempts: number;
  readonly next_at: number;
  readonly created: number;
}

/** Sends a payload and returns the response status, or 0 if there was no response. */
type WebhookSender = (payload: string, stop: AbortSignal) => Promise<number>;

/** Longer than the provider's, because a test may load the machine with fifty events at once. */
const RESPONSE_TIMEOUT_MS = 60_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Shorter than the provider's, so that developers see retries; the last pause repeats. */
const PAUSES = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR];
const GIVE_UP_AFTER = 72 * HOUR;
const MAX_CONCURRENT = 32;

export class WebhookQueue {
  readonly #state: SandboxState;
  readonly #faults: FaultSwitchboard;
  readonly #send: WebhookSender;
  readonly #stop = new AbortController();
  readonly #running = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(state: SandboxState, faults: FaultSwitchboard, send: WebhookSender) {
    this.#state = state;
    this.#faults = faults;
    this.#send = send;
  }

  /** Call this in the transaction that stores the event, which is sent soon afterwards. */
  enqueue(event: string): void {
    if (this.#faults.losesEvents) return;
    const now = Date.now();
    this.#state.runStatement(
      'INSERT INTO pending_deliveries (event, attempts, next_at, created) VALUES (?, 0, ?, ?)',
      event,
      now,
      now,
    );
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake()).unref();
  }

  /** Aborts running deliveries; they are sent again after the next start. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.allSettled(this.#running.values());
  }

  /** Sends what is due, and sleeps until the next delivery. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted) return;
    const now = Date.now();
    const freeSlots = Math.max(MAX_CONCURRENT - this.#running.size, 0);
    // Running deliveries are still in the table, so twice as many rows are enough to fill the free slots.
    const due = this.#listPending('next_at <= ? ORDER BY next_at, id LIMIT ?', now, 2 * MAX_CONCURRENT);
    const idle = due.filter(({ id }) => !this.#running.has(id));
    for (const delivery of idle.slice(0, freeSlots)) void this.#attemptDelivery(delivery);
    const [next] = this.#listPending('next_at > ? ORDER BY next_at LIMIT 1', now);
    if (next) this.#timer = setTimeout(() => this.wake(), Math.min(next.next_at - now, HOUR)).unref();
  }

  /** Resolves when the service has responded once, when a fault loses the event, or after `withinMs`. */
  async waitForFirstResponse(event: string, withinMs: number): Promise<void> {
    this.wake();
    const [delivery] = this.#listPending('event = ? ORDER BY id LIMIT 1', event);
    if (delivery === undefined) return;
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      const [current] = this.#listPending('id = ?', delivery.id);
      if (current === undefined || current.attempts > 0) return;
      await (this.#running.get(delivery.id) ?? sleep(20));
    }
  }

  /** Attempts every pending delivery now, even if it is not due. */
  async flush(): Promise<{ delivered: number; pending: number }> {
    const before = this.#listPending('1 ORDER BY id');
    await Promise.all(
      before.map((delivery) => this.#running.get(delivery.id) ?? this.#attemptDelivery(delivery)),
    );
    const left = new Set(this.#listPending('1').map((delivery) => delivery.id));
    return { delivered: before.filter((delivery) => !left.has(delivery.id)).length, pending: left.size };
  }

  /** Sends an event again, as from the provider's dashboard, and returns the response statuses. */
  async redeliver(event: string, times: number, concurrency: number): Promise<number[]> {
    const statuses: number[] = [];
    let started = 0;
    const sendRepeatedly = async (): Promise<void> => {
      while (started < times) {
        started += 1;
        statuses.push(await this.#send(this.#serializeEvent(event), this.#stop.signal));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, sendRepeatedly));
    return statuses;
  }

  #attemptDelivery(delivery: Delivery): Promise<void> {
    const attempt = async (): Promise<void> => {
      const status = await this.#send(this.#serializeEvent(delivery.event), this.#stop.signal);
      if (!this.#stop.signal.aborted) this.#recordStatus(delivery, status);
      this.#running.delete(delivery.id);
      this.wake();
    };
    const done = attempt();
    this.#running.set(delivery.id, done);
    return done;
  }

  #recordStatus(delivery: Delivery, status: number): void {
    const accepted = status >= 200 && status < 300;
    const pause = PAUSES[Math.min(delivery.attempts, PAUSES.length - 1)]!;
    const tooOld = Date.now() + pause > delivery.created + GIVE_UP_AFTER;
    if (accepted || tooOld) {
      this.#state.runStatement('DELETE FROM pending_deliveries WHERE id = ?', delivery.id);
      return;
    }
    const sql = 'UPDATE pending_deliveries SET attempts = attempts + 1, next_at = ? WHERE id = ?';
    this.#state.runStatement(sql, Date.now() + pause, delivery.id);
  }

  /** Indents, as the provider does, so that verifying a re-serialized body fails. */
  #serializeEvent(event: string): string {
    return JSON.stringify(this.#state.findObject('event', event), null, 2);
  }

  #listPending(where: string, ...values: (string | number)[]): Delivery[] {
    return this.#state.queryRows<Delivery>(`SELECT * FROM pending_deliveries WHERE ${where}`, ...values);
  }
}

/** Signs each event and trusts the service's own certificate besides the default CAs. */
export function createWebhookSender(settings: SandboxSettings): WebhookSender {
  let trusted = '';
  let agent: Agent | undefined;
  return async (payload, stop) => {
    const certificates = await readCertificates(join(settings.dataDir, 'tls'));
    if (agent === undefined || trusted !== certificates.join('\n')) {
      // Only when the service's certificate has changed, because parsing the CAs takes milliseconds.
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

/** Deliberately repeats `src/platform/net/http-exchange.ts`: the sandbox shares no code with the service. */
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
