/** The only way to the payment provider: its SDK behind a bound on time, on calls at once, and on what errors tell. */
import type { Stripe } from 'stripe';
import type { Clock } from '#platform/clock.ts';
import { ServiceError } from '#platform/errors.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import type { Log } from '#platform/log.ts';
import {
  isProviderKeyRejected,
  isProviderKeyUnknown,
  isProviderResourceMissing,
  translateProviderError,
} from './provider-error.ts';

const API_VERSION = '2026-10-28.endive';
const PAGES_ORIGIN = 'https://checkout.stripe.com';
const ANSWER_MS = 10_000;
const ATTEMPT_MS = 8_000;
const RETRIES = 2;
const MOST_CALLS = 32;
/** How long a rejected key counts as no key before it is tried again. */
const REJECTED_MS = 60_000;
const SIGNATURE_AGE_SECONDS = 300;

export interface PaymentProviderSettings {
  readonly key: string | null;
  readonly webhookSecrets: readonly string[];
  /** Another host that speaks the provider's API. */
  readonly apiUrl: string | null;
}

export class PaymentGateway {
  readonly #settings: PaymentProviderSettings;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The SDK takes as long to load as the service to start. */
  readonly #loadSdk: Lazy<Stripe>;
  #inFlight = 0;
  #rejectedUntil = 0;

  constructor(
    settings: PaymentProviderSettings,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#loadSdk = createLazy(async () => {
      const { Stripe: Sdk } = await import('stripe');
      return new Sdk(settings.key ?? '', this.#buildSdkOptions());
    });
  }

  /** Whether a checkout would be attempted now. */
  get configured(): boolean {
    const { key, webhookSecrets } = this.#settings;
    return key !== null && webhookSecrets.length > 0 && this.#clock.now() >= this.#rejectedUntil;
  }

  get livemode(): boolean {
    return /^\w{2}_live_/.test(this.#settings.key ?? '');
  }

  /** The origin of the provider's pages, where a buyer is sent to pay. */
  get pagesOrigin(): string {
    return this.#settings.apiUrl ?? PAGES_ORIGIN;
  }

  requireCapacity(): void {
    if (this.#inFlight < MOST_CALLS) return;
    throw new ServiceError('payment_provider_unavailable', {
      detail: 'Too many payments are being prepared at the moment. Nothing was charged.',
    });
  }

  async createSession(
    parameters: Stripe.Checkout.SessionCreateParams,
    idempotencyKey: string,
  ): Promise<{ id: string; url: string }> {
    const { id, url } = await this.#callProvider(
      (stripe) => stripe.checkout.sessions.create(parameters, { idempotencyKey }),
      // Only here does a missing permission mean that nothing can be sold.
      isProviderKeyRejected,
    );
    if (url === null)
      throw new ServiceError('internal_error', { cause: new Error('a session without address') });
    return { id, url };
  }

  /** The session with its payment and charge; null if the provider knows none of that id. */
  async findSession(id: string): Promise<Stripe.Checkout.Session | null> {
    return await this.#callProvider((stripe) =>
      stripe.checkout.sessions
        .retrieve(id, { expand: ['payment_intent.latest_charge'] })
        .catch((error: unknown) => {
          if (isProviderResourceMissing(error)) return null;
          throw error;
        }),
    );
  }

  async findSessionByPayment(paymentIntent: string): Promise<string | null> {
    const { data } = await this.#callProvider((stripe) =>
      stripe.checkout.sessions.list({ payment_intent: paymentIntent, limit: 1 }),
    );
    return data[0]?.id ?? null;
  }

  async listDisputes(paymentIntent: string): Promise<readonly Stripe.Dispute[]> {
    const { data } = await this.#callProvider((stripe) =>
      stripe.disputes.list({ payment_intent: paymentIntent }),
    );
    return data;
  }

  async expireSession(id: string): Promise<void> {
    await this.#callProvider((stripe) => stripe.checkout.sessions.expire(id));
  }

  /** The event, once its signature is known to be one of ours and fresh. */
  async verifyWebhookEvent(body: Buffer, signature: string): Promise<Stripe.Event> {
    const { webhooks } = await this.#loadSdk();
    const now = this.#clock.now();
    // The SDK checks only age; a signature from the future would stay valid as long as it likes.
    if (Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]) > now / 1_000 + SIGNATURE_AGE_SECONDS)
      throw new ServiceError('signature_invalid');
    for (const secret of this.#settings.webhookSecrets) {
      try {
        return webhooks.constructEvent(body, signature, secret, SIGNATURE_AGE_SECONDS, undefined, now);
      } catch (error) {
        const { type } = error as Partial<Stripe.errors.StripeError>;
        // Signed as it should be, yet no event that can be read: a thin one, or no JSON at all.
        if (type !== 'StripeSignatureVerificationError')
          throw new ServiceError('event_refused', { cause: error });
      }
    }
    throw new ServiceError('signature_invalid');
  }

  async #callProvider<Result>(
    work: (stripe: Stripe) => Promise<Result>,
    closesShop: (error: unknown) => boolean = isProviderKeyUnknown,
  ): Promise<Result> {
    if (this.#settings.key === null) throw new ServiceError('payments_not_configured');
    this.requireCapacity();
    this.#inFlight += 1;
    // A call that is given up on still counts until it really ends.
    const call = this.#loadSdk()
      .then(work)
      .finally(() => {
        this.#inFlight -= 1;
      });
    try {
      return await withTimeout(ANSWER_MS, call);
    } catch (error) {
      if (closesShop(error)) this.#rejectedUntil = this.#clock.now() + REJECTED_MS;
      throw translateProviderError(error, this.#log);
    }
  }

  #buildSdkOptions(): ConstructorParameters<typeof Stripe>[1] {
    const { apiUrl } = this.#settings;
    const url = apiUrl === null ? null : new URL(apiUrl);
    return {
      apiVersion: API_VERSION,
      timeout: ATTEMPT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      ...(url && {
        // An IPv6 address stands in brackets in a URL alone.
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || (url.protocol === 'https:' ? 443 : 80),
        protocol: url.protocol === 'https:' ? 'https' : 'http',
      }),
    };
  }
}

async function withTimeout<Result>(ms: number, call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ServiceError('payment_provider_unavailable')), ms);
  });
  return await Promise.race([call, late]).finally(() => clearTimeout(timer));
}
