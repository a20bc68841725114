/** The service and the payment sandbox together, as after `npm start`. */
import assert from 'node:assert/strict';
import { computeSessionTag } from '#payments/session-id.ts';
import { startSandbox } from '#sandbox/running-sandbox.ts';
import { readSandboxSettings } from '#sandbox/settings.ts';
import { findOrderBySession, type Order } from '#store/orders/orders.ts';
import { type CleanupScope, processScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { findFreePorts } from '#test/ports.ts';
import { callSandboxControl } from '#test/sandbox/sandbox-process.ts';
import { buildTestApp, type TestApp, type TestAppOptions } from '#test/test-app.ts';

const KEY = 'sk_test_canary_of_the_shop';
const SECRETS = 'whsec_canary_old,whsec_canary_new';

interface RecordedCalls {
  readonly counts: Record<string, number>;
  readonly session_creates: readonly { idempotency_key: string; params: Record<string, unknown> }[];
}

export interface ShopSandbox {
  readonly env: Record<string, string>;
  readonly callControl: <Result = unknown>(method: string, path: string, body?: unknown) => Promise<Result>;
  readonly readCalls: () => Promise<RecordedCalls>;
  /** Replaces all switches and clears the recorded calls. */
  readonly setFaults: (faults?: unknown) => Promise<void>;
  readonly pay: (sessionId: string, how?: string) => Promise<{ redirect: string }>;
  readonly refund: (sessionId: string) => Promise<void>;
  /** Every event so far, oldest first. */
  readonly listEvents: () => Promise<{ id: string; type: string }[]>;
  readonly callApi: <Result>(method: string, path: string, form?: Record<string, string>) => Promise<Result>;
}

/** Starts a sandbox for a service that listens, or will listen, on a port. */
export async function startShopSandbox(t: CleanupScope, port: number, dataDir: string): Promise<ShopSandbox> {
  const [sandboxPort = 0] = await findFreePorts(1);
  const origin = `http://127.0.0.1:${sandboxPort}`;
  const sandbox = await startSandbox(
    readSandboxSettings({
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: dataDir,
      SITE_URL: `https://localhost:${port}`,
      STRIPE_SECRET_KEY: KEY,
      STRIPE_WEBHOOK_SECRET: SECRETS,
    }),
  );
  t.after(() => sandbox.close());
  const callControlApi: ShopSandbox['callControl'] = (method, path, body) =>
    callSandboxControl(origin, method, path, body);
  const callProviderApi: ShopSandbox['callApi'] = async (method, path, form) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-www-form-urlencoded' };
    const body = form ? { body: new URLSearchParams(form).toString() } : {};
    return await readJsonResponse(fetch(`${origin}/v1/${path}`, { method, headers, ...body }));
  };
  return {
    env: { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRETS, STRIPE_API_URL: origin },
    callControl: callControlApi,
    callApi: callProviderApi,
    readCalls: () => callControlApi('GET', 'calls'),
    setFaults: async (faults = {}) => {
      await callControlApi('PUT', 'faults', faults);
      await callControlApi('DELETE', 'calls');
    },
    refund: async (sessionId) => {
      const path = `checkout/sessions/${sessionId}`;
      const { payment_intent } = await callProviderApi<{ payment_intent: string }>('GET', path);
      await callProviderApi('POST', 'refunds', { payment_intent });
    },
    pay: (sessionId, how = 'pay') => callControlApi('POST', `sessions/${sessionId}/${how}`),
    listEvents: async () => {
      const { data } = await callProviderApi<{ data: { id: string; type: string }[] }>(
        'GET',
        'events?limit=100',
      );
      return data.toReversed();
    },
  };
}

async function readJsonResponse<Result>(asked: Promise<Response>): Promise<Result> {
  const answer = await asked;
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.url}: ${answer.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Result;
}

export interface TestShop extends TestApp {
  readonly sandbox: ShopSandbox;
  readonly origin: string;
  readonly postCheckout: (tier: string, headers?: Record<string, string>) => Promise<HttpsResponse>;
  readonly createSession: (tier?: string) => Promise<string>;
  readonly findOrder: (sessionId: string) => Promise<Order | undefined>;
}

let sharedShop: Promise<TestShop> | undefined;

/** Shares one shop among all files of a process that change neither its settings nor its clock. */
export async function shareTestShop(): Promise<TestShop> {
  sharedShop ??= startTestShop(processScope);
  return await sharedShop;
}

export async function startTestShop(owner: CleanupScope, changes: TestAppOptions = {}): Promise<TestShop> {
  const t = withReverseCleanup(owner);
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createDataFolder(t);
  const sandbox = await startShopSandbox(t, port, dataDir);
  const env = { PORT: String(port), DATA_DIR: dataDir, ...sandbox.env, ...changes.env };
  const plain = await buildTestApp(t, { ...changes, env });
  const built = { ...plain, get: withOpenApiChecks(plain.get) };
  t.after(() => assertNoPaymentSecrets(built.readLog()));
  return {
    ...built,
    sandbox,
    origin: `https://localhost:${port}`,
    postCheckout: (tier, headers) => postCheckout(built.get, tier, headers),
    createSession: (tier) => createCheckoutSession(built.get, tier),
    findOrder: (sessionId) =>
      findOrderBySession(built.store.records, computeSessionTag(built.services.keyring, sessionId)),
  };
}

async function postCheckout(get: HttpsClient, tier: string, headers = {}): Promise<HttpsResponse> {
  return await get('/api/stripe/checkout', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ tier }),
  });
}

/** Creates a checkout, which must succeed; returns the id of its session. */
export async function createCheckoutSession(get: HttpsClient, tier = 'Trace'): Promise<string> {
  return readCheckoutSessionId(await postCheckout(get, tier));
}

export function readCheckoutSessionId(answer: HttpsResponse): string {
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['url']).split('/').at(-1) ?? '';
}

/** Asserts that a text contains no keys, signatures, ids or addresses of the provider, nor the sandbox's buyer. */
export function assertNoPaymentSecrets(written: string): void {
  for (const secret of [
    /sk_test_/,
    /whsec_/,
    /cs_test_/,
    // Long, because a shorter match could occur in our own ids by chance.
    /pi_\w{20}/,
    /v1=/,
    /\/c\/pay/,
    /@/,
    /session_id/,
    /127\.0\.0\.1/,
  ])
    assert.doesNotMatch(written, secret);
}
