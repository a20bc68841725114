/** Runs the real sandbox program for a test, with the real SDK as its client and a real HTTPS receiver. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Stripe } from 'stripe';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { generateTestCertificate } from '#test/desk/test-certificate.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startProgram } from '#test/service-process.ts';

export const SANDBOX_SECRET_KEY = 'sk_test_for_the_sandbox_tests';
export const SANDBOX_WEBHOOK_SECRETS = ['whsec_the_old_one', 'whsec_the_new_one'] as const;

interface StripeClientOptions {
  readonly key?: string;
  readonly apiVersion?: string;
  readonly maxNetworkRetries?: number;
}

type SandboxProcess = Awaited<ReturnType<typeof startSandboxProcess>>;

interface SandboxStartOptions {
  readonly dataDir?: string;
  readonly port?: number;
  readonly siteUrl?: string;
}

export async function startSandboxProcess(owner: CleanupScope, options: SandboxStartOptions = {}) {
  const t = withReverseCleanup(owner);
  const dataDir = options.dataDir ?? (await createTemporaryFolder(t));
  const port = options.port ?? (await findFreePorts(1))[0]!;
  const program = startProgram(t, 'sandbox/main.ts', {
    SANDBOX_PORT: String(port),
    DATA_DIR: dataDir,
    STRIPE_SECRET_KEY: SANDBOX_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: SANDBOX_WEBHOOK_SECRETS.join(','),
    // Nothing listens there unless a test brings its own receiver.
    SITE_URL: options.siteUrl ?? 'https://127.0.0.1:9',
  });
  await Promise.race([once(program.process.stdout!, 'data'), program.ended]);
  if (program.process.exitCode !== null)
    throw new Error(`the sandbox did not start: ${program.readOutput()}`);

  const origin = `http://127.0.0.1:${port}`;
  const createStripeClient = ({ key = SANDBOX_SECRET_KEY, ...config }: StripeClientOptions = {}) =>
    new Stripe(key, {
      host: '127.0.0.1',
      port,
      protocol: 'http',
      telemetry: false,
      ...config,
    } as ConstructorParameters<typeof Stripe>[1]);
  return {
    origin,
    dataDir,
    createStripeClient,
    stripe: createStripeClient(),
    callControl: <Result = unknown>(method: string, path: string, body?: unknown) =>
      callSandboxControl<Result>(origin, method, path, body),
    output: program.readOutput,
    kill: async (signal: NodeJS.Signals) => {
      program.process.kill(signal);
      return await program.ended;
    },
  };
}

export async function callSandboxControl<T>(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const content =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${origin}/_sandbox/${path}`, { method, ...content });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

interface WebhookReceiver {
  readonly url: string;
  readonly events: Stripe.Event[];
  readonly headers: NodeJS.Dict<string | string[]>[];
  /** The status that the next deliveries get. */
  answer: number;
  readonly listTypes: () => string[];
  readonly waitUntil: (enough: () => boolean) => Promise<void>;
}

/** Verifies every delivery with both secrets through the SDK; a bad signature throws in the test process. */
export async function startWebhookReceiver(
  t: CleanupScope,
  dataDir: string,
  port = 0,
): Promise<WebhookReceiver> {
  const { cert, key } = await generateTestCertificate();
  mkdirSync(join(dataDir, 'tls'), { recursive: true });
  writeFileSync(join(dataDir, 'tls', 'cert.pem'), cert);
  writeFileSync(join(dataDir, 'tls', 'key.pem'), key);

  const server = createHttpsServer({ cert, key });
  const receiver: WebhookReceiver = {
    url: '',
    events: [],
    headers: [],
    answer: 200,
    listTypes: () => receiver.events.map((event) => event.type),
    waitUntil: async (enough) => {
      while (!enough()) await once(server, 'recorded', { signal: AbortSignal.timeout(PATIENCE_MS) });
    },
  };
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const recordDelivery = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const signature = request.headers['stripe-signature'] ?? '';
    for (const secret of SANDBOX_WEBHOOK_SECRETS) {
      receiver.events[receiver.headers.length] = Stripe.webhooks.constructEvent(body, signature, secret);
    }
    receiver.headers.push(request.headers);
    response.writeHead(request.url === '/api/stripe/webhook' ? receiver.answer : 404).end();
    server.emit('recorded');
  };
  server.on('request', (request, response) => void recordDelivery(request, response));
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return Object.assign(receiver, { url: `https://localhost:${(server.address() as AddressInfo).port}` });
}

/** A sandbox whose webhooks reach a receiver. */
export async function startSandboxWithReceiver(owner: CleanupScope) {
  const t = withReverseCleanup(owner);
  const dataDir = await createTemporaryFolder(t);
  const receiver = await startWebhookReceiver(t, dataDir);
  return { receiver, sandbox: await startSandboxProcess(t, { dataDir, siteUrl: receiver.url }) };
}

/** What the service sends for a Deep Sweep. */
export function buildCheckoutParameters(
  changes: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: 29_900, product_data: { name: 'Deep Sweep' } },
      },
    ],
    success_url: 'https://shop.example/inquiry?tier=Deep%20Sweep&session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/',
    ...changes,
  };
}

interface BuyerActionAnswer {
  readonly session: Stripe.Checkout.Session;
  readonly redirect: string | null;
}

export async function buyInSandbox(sandbox: SandboxProcess, step = 'pay'): Promise<Stripe.Checkout.Session> {
  const { id } = await sandbox.stripe.checkout.sessions.create(buildCheckoutParameters());
  return (await sandbox.callControl<BuyerActionAnswer>('POST', `sessions/${id}/${step}`)).session;
}

/** Returns the charge and the payment intent of a session for which a payment was attempted. */
export async function retrieveCharge(sandbox: SandboxProcess, session: string) {
  const expand = ['payment_intent.latest_charge'];
  const { payment_intent } = await sandbox.stripe.checkout.sessions.retrieve(session, { expand });
  const intent = payment_intent as Stripe.PaymentIntent;
  return { intent, charge: intent.latest_charge as Stripe.Charge };
}
