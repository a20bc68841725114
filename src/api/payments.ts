/** Payments under {base_url}: their status, the checkout and the provider's webhook. */
import { type Static, Type } from 'typebox';
import { startCheckout } from '#payments/checkout.ts';
import { receiveProviderEvent } from '#payments/fulfil.ts';
import type { TierName } from '#payments/tiers.ts';
import { EXAMPLE_PAYMENT_PAGE } from '#platform/config/payment-settings.ts';
import { ServiceError } from '#platform/errors.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import type { App } from '#platform/http/app-type.ts';
import {
  AnonymousIdempotencyHeaderSchema,
  readAnonymousIdempotencyKey,
  readIdempotencyKey,
} from '#platform/http/idempotency-key.ts';
import { describeAnswer } from '#platform/http/operation.ts';
import { describeObject } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { TierNameSchema } from './pricing.ts';

export const PaymentStatus = describeObject(
  { configured: Type.Boolean({ description: 'If false, nothing can be bought now.' }) },
  { title: 'PaymentStatus' },
);
const Checkout = describeObject(
  { tier: TierNameSchema },
  { title: 'Checkout', examples: [{ tier: 'Deep Sweep' satisfies TierName }] },
);
const CheckoutPage = describeObject(
  {
    url: Type.String({
      format: 'uri',
      description: 'The page of the payment provider where a person pays.',
      examples: [EXAMPLE_PAYMENT_PAGE],
    }),
  },
  { title: 'CheckoutPage' },
);
const Received = describeObject({ received: Type.Literal(true) });

const EVENT_BYTES = 256 * 1_024;

export function readPaymentStatus({
  paymentProvider,
}: Pick<Services, 'paymentProvider'>): Static<typeof PaymentStatus> {
  return { configured: paymentProvider.configured };
}

export function addPaymentRoutes(app: App, services: Services): void {
  app.get(
    '/stripe/status',
    {
      config: { access: { optional: 'pricing:read' }, anyOrigin: true },
      schema: {
        operationId: 'getPaymentStatus',
        tags: ['payments'],
        summary: 'Reports whether payments are active',
        description:
          'Check this before a checkout. No token is needed; if one is sent, it must be valid and have `pricing:read`.',
        response: { 200: PaymentStatus },
      },
    },
    async () => readPaymentStatus(services),
  );
  app.post(
    '/stripe/checkout',
    {
      config: {
        access: { optional: 'case:write' },
        anyOrigin: true,
        budget: 'checkouts',
        problems: [
          'idempotency_key_weak',
          'idempotency_key_used',
          'idempotency_key_reused',
          'payments_not_configured',
          'payment_provider_unavailable',
          'storage_full',
        ],
      },
      schema: {
        operationId: 'createCheckout',
        tags: ['payments'],
        summary: 'Starts the purchase of a tier and returns the address where a person pays',
        description: `Send a token with \`case:write\` to submit the inquiry yourself: the order then belongs to the caller, the response has its address in \`Location\`, for \`getOrder\`, and its id is for \`createInquiry\`. A repeated Idempotency-Key is refused once the order is paid; with a token \`Location\` then names it, too. Without a token the order is not the caller’s, and the person writes the inquiry in the browser, and a payer whose inquiry has not come ${RETURN_LINK_MINUTES} minutes after the payment is sent one e-mail with a link to the form.`,
        headers: AnonymousIdempotencyHeaderSchema,
        body: Checkout,
        response: {
          200: describeAnswer(CheckoutPage, {
            headers: { Location: 'The address of the order, for `getOrder`; only if a token was sent.' },
          }),
        },
      },
    },
    async (request, reply) => {
      const { caller: buyer } = request;
      const { order, url } = await startCheckout(services, {
        tier: request.body.tier,
        key: buyer ? readIdempotencyKey(request) : readAnonymousIdempotencyKey(request),
        buyer,
      });
      // No location for an order without an owner, which could not be read there.
      const headers = buyer ? { location: `${services.addresses.api}/orders/${order.id}` } : {};
      if (url === null) throw new ServiceError('idempotency_key_used', { headers });
      reply.headers(headers);
      return { url };
    },
  );
}

/** Needs its own Fastify scope: the signature covers the raw bytes, so they must not be parsed first. */
export function addPaymentWebhookRoutes(app: App, services: Services): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post(
    '/stripe/webhook',
    {
      config: {
        access: 'public',
        budget: 'paymentEvents',
        problems: ['signature_invalid', 'event_refused', 'payload_too_large', 'event_unresolved'],
      },
      bodyLimit: EVENT_BYTES,
      schema: { response: { 200: Received } },
    },
    async (request) => {
      const { body, headers } = request;
      if (!Buffer.isBuffer(body)) throw new ServiceError('signature_invalid');
      await receiveProviderEvent(services, body, headers);
      return { received: true } as const;
    },
  );
}
