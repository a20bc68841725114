/** Translates the provider's errors for our callers, and raises an alarm for those that need attention. */
import type { Stripe } from 'stripe';
import { ServiceError } from '#platform/errors.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';

const TRANSIENT: ReadonlySet<string> = new Set([
  'StripeConnectionError',
  'StripeAPIError',
  'StripeRateLimitError',
]);

/** True if the requested object does not exist at the provider. */
export function isProviderResourceMissing(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).code === 'resource_missing';
}

export function isProviderKeyUnknown(error: unknown): boolean {
  return (error as Partial<Stripe.errors.StripeError>).type === 'StripeAuthenticationError';
}

/** True if the key is unknown or lacks a permission; only the operator can fix that. */
export function isProviderKeyRejected(error: unknown): boolean {
  return (
    isProviderKeyUnknown(error) ||
    (error as Partial<Stripe.errors.StripeError>).type === 'StripePermissionError'
  );
}

/** The provider's own message goes neither to the caller nor to the log. */
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
