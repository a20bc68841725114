/** Hashes IP addresses, so that requests can be counted without storing who sent them. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS } from '#platform/durations.ts';

/** The hash of an address is stable for one day and cannot be reversed once the secret is discarded. */
export function createAddressHasher(clock: Clock): (address: string) => string {
  let day = -1;
  let secret = createSecretKey(randomBytes(32));
  return (address) => {
    const today = Math.floor(clock.now() / DAY_MS);
    if (today !== day) {
      day = today;
      secret = createSecretKey(randomBytes(32));
    }
    return createHmac('sha256', secret).update(normalizeIP(address)).digest('base64url');
  };
}
