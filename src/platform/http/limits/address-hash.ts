/** Names callers by a hash, so that requests and work can be counted without storing who sent them. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { isIPv6, type Socket, SocketAddress } from 'node:net';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { App } from '../app-type.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The hash of the caller's address. */
    addressHash: string;
    /** The client of a valid token and, after a blank, the person it acts for; or the session of an investigator. */
    account: string | null;
  }
}

export function addCallerNames(app: App, hashAddress: AddressHasher): void {
  app.decorateRequest('addressHash', '');
  app.decorateRequest('account', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.addressHash = hashAddress(request.ip, request.raw.socket);
    done();
  });
}

export type AddressHasher = (address: string, connection?: Pick<Socket, 'remoteAddress'>) => string;

/** The hash of an address is stable for one day and cannot be reversed once the secret is discarded. */
export function createAddressHasher(clock: Clock): AddressHasher {
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
    const hash = createHmac('sha256', secret).update(toCountedAddress(address)).digest('base64url');
    if (isOwn) hashes.set(connection, hash);
    return hash;
  };
}

const MAPPED = '::ffff:';
const GROUPS = 8;
/** One machine can use every address of a /64 network. */
const COUNTED_GROUPS = 4;

function toCountedAddress(text: string): string {
  // Drops the zone of a link-local address (RFC 4007 §11).
  const plain = text.split('%', 1)[0] ?? '';
  if (!isIPv6(plain)) return text.toLowerCase();
  const { address } = new SocketAddress({ address: plain, family: 'ipv6' });
  if (address.startsWith(MAPPED)) return address.slice(MAPPED.length);
  const [first = [], last = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const skipped = Array.from({ length: GROUPS - first.length - last.length }, () => '0');
  return [...first, ...skipped, ...last].slice(0, COUNTED_GROUPS).join(':');
}
