/** What the provider's failures mean to our callers, and which of them somebody must look at. */
import type { Stripe } from 'stripe';
import { ServiceError } from '#platform/errors.ts';
import { type Log, traceOf } from '#platform/log.ts';

const TRANSIENT: ReadonlySet<string> = new Set([
  'StripeConnectionError',
  'StripeAPIError',
  'StripeRateLimitError',
]);

/** True when the provider does not know the thing that was asked for. */
export function isMissing(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).code === 'resource_missing';
}

export function isKeyUnknown(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).type === 'StripeAuthenticationError';
}

/** The key is unknown, or may not do what was asked: nothing changes until somebody gives it the right. */
export function isKeyRejected(error: unknown): boolean {
  return (
    isKeyUnknown(error) || (error as Partial<Stripe.errors.StripeError>).type === 'StripePermissionError'
  );
}

/** The provider's own words stay out of the answer and out of the log. */
export function translateProviderError(error: unknown, log: Log): ServiceError {
  if (error instanceof ServiceError) return error;
  const { type, requestId } = error as Partial<Stripe.errors.StripeError>;
  const alarm = (reason: string) =>
    log.event('payment_alarm', { reason, provider_request: requestId, ...traceOf(error) });
  if (isKeyRejected(error)) {
    alarm('provider rejects our key');
    return new ServiceError('payment_provider_unavailable', { cause: error });
  }
  if (type !== undefined && TRANSIENT.has(type))
    return new ServiceError('payment_provider_unavailable', { cause: error });
  alarm('provider refuses our request');
  return new ServiceError('internal_error', { cause: error });
}
