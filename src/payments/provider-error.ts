/** What the provider's failures mean to our callers, and which of them somebody must look at. */
import type { Stripe } from 'stripe';
import { ServiceError } from '#platform/errors.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';

const TRANSIENT: ReadonlySet<string> = new Set([
  'StripeConnectionError',
  'StripeAPIError',
  'StripeRateLimitError',
]);

/** True when the provider does not know the thing that was asked for. */
export function isProviderResourceMissing(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).code === 'resource_missing';
}

export function isProviderKeyUnknown(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).type === 'StripeAuthenticationError';
}

/** The key is unknown, or may not do what was asked: nothing changes until somebody gives it the right. */
export function isProviderKeyRejected(error: unknown): boolean {
  return (
    isProviderKeyUnknown(error) ||
    (error as Partial<Stripe.errors.StripeError>).type === 'StripePermissionError'
  );
}

/** The provider's own words stay out of the answer and out of the log. */
export function translateProviderError(error: unknown, log: Log): ServiceError {
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
