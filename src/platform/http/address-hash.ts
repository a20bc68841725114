/** Hashes IP addresses, so that requests can be counted without storing who sent them. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS } from '#platform/durations.ts';

/** The hash of an address is stable for one day and cannot be reversed once the secret is discarded. */
export function createAddressHasher(
  clock: Clock,
): (address: string, connection?: Pick<Socket, 'remoteAddress'>) => string {
  let day = -1;
  let secret = createSecretKey(randomBytes(32));
  // Computed once for each connection, and forgotten with it. A proxy's connection is shared by many addresses.
  let hashes = new WeakMap<object, string>();
  return (address, connection) => {
    const today = Math.floor(clock.now() / DAY_MS);
    if (today !== day) {
      day = today;
      secret = createSecretKey(randomBytes(32));
      hashes = new WeakMap();
    }
    const isOwn = connection?.remoteAddress === address;
    const known = isOwn ? hashes.get(connection) : undefined;
    if (known !== undefined) return known;
    const hash = createHmac('sha256', secret).update(normalizeIP(address)).digest('base64url');
    if (isOwn) hashes.set(connection, hash);
    return hash;
  };
}
