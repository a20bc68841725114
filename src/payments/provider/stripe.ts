/** Stripe: its SDK with a timeout, a limit on concurrent calls and translated errors. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Stripe } from 'stripe';
import type { Clock } from '#platform/clock.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import type {
  PaymentEvent,
  PaymentFacts,
  PaymentProvider,
  ProviderCallObserver,
  ProviderOutcome,
  SessionRequest,
} from '../payment-provider.ts';
import { buildSessionParameters, toPaymentFacts } from './stripe-session.ts';

const API_VERSION = '2026-10-28.endive';
const PAGES_ORIGIN = 'https://checkout.stripe.com';
const CALL_TIMEOUT_MS = 10_000;
const ATTEMPT_TIMEOUT_MS = 8_000;
const RETRIES = 2;
const MAX_CALLS = 32;
/** How long payments count as not configured after the provider rejected the key. */
const REJECTED_MS = MINUTE_MS;
const SIGNATURE_AGE_SECONDS = 300;

/** These events contain the session; those below contain only a payment, whose session has to be looked up. */
const SESSION_EVENTS: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
]);
const PAYMENT_EVENTS: ReadonlySet<string> = new Set([
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
]);
const MUST_RESOLVE: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
]);

export interface StripeSettings {
  readonly key: string | null;
  readonly webhookSecrets: readonly string[];
  /** Another host with the provider's API, such as the sandbox. */
  readonly apiUrl: string | null;
  /** The mode of the key; without a key, that of the orders whose forms are open. */
  readonly livemode: boolean;
}

export interface StripeDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly observeCall?: ProviderCallObserver | undefined;
}

export class StripeProvider implements PaymentProvider {
  readonly #settings: StripeSettings;
  readonly #dependencies: StripeDependencies;
  /** Loaded at first use, because loading the SDK takes as long as the whole start. */
  readonly #loadSdk: Lazy<Stripe>;
  #inFlight = 0;
  #rejectedUntil = 0;

  constructor(settings: StripeSettings, dependencies: StripeDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#loadSdk = createLazy(async () => {
      const { Stripe: Sdk } = await import('stripe');
      return new Sdk(settings.key ?? '', buildSdkOptions(settings));
    });
  }

  get configured(): boolean {
    const { key, webhookSecrets } = this.#settings;
    return key !== null && webhookSecrets.length > 0 && this.#dependencies.clock.now() >= this.#rejectedUntil;
  }

  get livemode(): boolean {
    return this.#settings.livemode;
  }

  get pagesOrigin(): string {
    return this.#settings.apiUrl ?? PAGES_ORIGIN;
  }

  requireCapacity(): void {
    if (this.#inFlight < MAX_CALLS) return;
    throw new ServiceError('payment_provider_unavailable', {
      detail: 'Too many payments are being prepared at the moment. Nothing was charged.',
    });
  }

  async createSession(request: SessionRequest): Promise<{ id: string; url: string }> {
    const idempotencyKey = `order-${request.orderId}`;
    const { id, url } = await this.#callProvider(
      (stripe) => stripe.checkout.sessions.create(buildSessionParameters(request), { idempotencyKey }),
      // Only here does a missing permission stop all sales.
      isProviderKeyRejected,
    );
    if (url === null)
      throw new ServiceError('internal_error', { cause: new Error('a session without address') });
    return { id, url };
  }

  async fetchFacts(sessionId: string): Promise<PaymentFacts | null> {
    const session = await this.#callProvider((stripe) =>
      stripe.checkout.sessions
        .retrieve(sessionId, { expand: ['payment_intent.latest_charge'] })
        .catch((error: unknown) => {
          if ((error as Partial<Stripe.errors.StripeError>).code === 'resource_missing') return null;
          throw error;
        }),
    );
    return session && (await toPaymentFacts(session, (payment) => this.#listDisputes(payment)));
  }

  async #listDisputes(payment: string): Promise<readonly Stripe.Dispute[]> {
    const query = { payment_intent: payment };
    return (await this.#callProvider((stripe) => stripe.disputes.list(query))).data;
  }

  async expireSession(id: string): Promise<void> {
    await this.#callProvider((stripe) => stripe.checkout.sessions.expire(id));
  }

  async verifyEvent(
    body: Buffer,
    { 'stripe-signature': signature }: IncomingHttpHeaders,
  ): Promise<PaymentEvent> {
    if (typeof signature !== 'string') throw new ServiceError('signature_invalid');
    const event = await this.#readSignedEvent(body, signature);
    const { id, livemode, type } = event;
    return {
      id,
      livemode,
      mustResolve: MUST_RESOLVE.has(type),
      findSession: () => this.#findEventSession(event),
    };
  }

  async #readSignedEvent(body: Buffer, signature: string): Promise<Stripe.Event> {
    const { webhooks } = await this.#loadSdk();
    const now = this.#dependencies.clock.now();
    // The SDK checks only the age; a timestamp in the future would stay valid indefinitely.
    if (Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]) > now / 1_000 + SIGNATURE_AGE_SECONDS)
      throw new ServiceError('signature_invalid');
    for (const secret of this.#settings.webhookSecrets) {
      try {
        return webhooks.constructEvent(body, signature, secret, SIGNATURE_AGE_SECONDS, undefined, now);
      } catch (error) {
        const { type } = error as Partial<Stripe.errors.StripeError>;
        // Correctly signed but not readable as an event: a thin event, or not JSON.
        if (type !== 'StripeSignatureVerificationError')
          throw new ServiceError('event_refused', { cause: error });
      }
    }
    throw new ServiceError('signature_invalid');
  }

  async #findEventSession({ type, data }: Stripe.Event): Promise<string | null> {
    const object = data.object as { id?: string; payment_intent?: string | { id: string } | null };
    if (SESSION_EVENTS.has(type)) return object.id ?? null;
    if (!PAYMENT_EVENTS.has(type) || !object.payment_intent) return null;
    const { payment_intent: payment } = object;
    const query = { payment_intent: typeof payment === 'string' ? payment : payment.id, limit: 1 };
    const { data: sessions } = await this.#callProvider((stripe) => stripe.checkout.sessions.list(query));
    return sessions[0]?.id ?? null;
  }

  async #callProvider<Result>(
    work: (stripe: Stripe) => Promise<Result>,
    closesShop: (error: unknown) => boolean = isProviderKeyUnknown,
  ): Promise<Result> {
    if (this.#settings.key === null) throw new ServiceError('payments_not_configured');
    const startedAt = performance.now();
    const reportOutcome = (outcome: ProviderOutcome) =>
      this.#dependencies.observeCall?.(outcome, (performance.now() - startedAt) / 1_000);
    if (this.#inFlight >= MAX_CALLS) reportOutcome('too_many');
    this.requireCapacity();
    this.#inFlight += 1;
    // A call that timed out still counts until it ends.
    const call = this.#loadSdk()
      .then(work)
      .finally(() => {
        this.#inFlight -= 1;
      });
    try {
      const result = await withTimeout(CALL_TIMEOUT_MS, call);
      reportOutcome('ok');
      return result;
    } catch (error) {
      if (closesShop(error)) this.#rejectedUntil = this.#dependencies.clock.now() + REJECTED_MS;
      const translated = translateProviderError(error, this.#dependencies.log);
      reportOutcome(toProviderOutcome(error, translated));
      throw translated;
    }
  }
}

function buildSdkOptions({ apiUrl }: StripeSettings): ConstructorParameters<typeof Stripe>[1] {
  const url = apiUrl === null ? null : new URL(apiUrl);
  return {
    apiVersion: API_VERSION,
    timeout: ATTEMPT_TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(url && {
      // Only URLs write IPv6 addresses in brackets.
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      protocol: url.protocol === 'https:' ? 'https' : 'http',
    }),
  };
}

function toProviderOutcome(error: unknown, { code }: ServiceError): ProviderOutcome {
  if (isProviderKeyRejected(error)) return 'key_rejected';
  return code === 'payment_provider_unavailable' ? 'unavailable' : 'refused';
}

async function withTimeout<Result>(ms: number, call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ServiceError('payment_provider_unavailable')), ms);
  });
  return await Promise.race([call, timeout]).finally(() => clearTimeout(timer));
}

const TRANSIENT: ReadonlySet<string> = new Set([
  'StripeConnectionError',
  'StripeAPIError',
  'StripeRateLimitError',
]);

function isProviderKeyUnknown(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).type === 'StripeAuthenticationError';
}

/** True if the key is unknown or lacks a permission; only the operator can fix that. */
function isProviderKeyRejected(error: unknown): boolean {
  return (
    isProviderKeyUnknown(error) ||
    (error as Partial<Stripe.errors.StripeError>).type === 'StripePermissionError'
  );
}

/** The provider's own message is passed neither to the caller nor to the log. */
function translateProviderError(error: unknown, log: Log): ServiceError {
  if (error instanceof ServiceError) return error;
  const { type, requestId } = error as Partial<Stripe.errors.StripeError>;
  const logPaymentAlarm = (reason: string) =>
    log.event('payment_alarm', { reason, provider_request: requestId, ...toErrorTrace(error) });
  if (isProviderKeyRejected(error)) {
    logPaymentAlarm('provider rejects our key');
    return new ServiceError('payment_provider_unavailable', { cause: error });
  }
  if (type !== undefined && TRANSIENT.has(type))
    return new ServiceError('payment_provider_unavailable', { cause: error });
  logPaymentAlarm('provider refuses our request');
  return new ServiceError('internal_error', { cause: error });
}
