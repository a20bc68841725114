/** The refusal of a request that exceeds a limit by number, with the time to wait in the headers that programs read. */
import { ServiceError } from '#platform/errors.ts';
import { RATE_WINDOW_SECONDS } from './limits.ts';

export function createRateLimitError(max: number, seconds: number): ServiceError {
  return new ServiceError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      ratelimit: `"default";r=0;t=${seconds}`,
      [POLICY_HEADER]: formatRatePolicy(max),
    },
  });
}

export const POLICY_HEADER = 'ratelimit-policy';

/** As draft-ietf-httpapi-ratelimit-headers-10 has it. */
export function formatRatePolicy(max: number): string {
  return `"default";q=${max};w=${RATE_WINDOW_SECONDS}`;
}
