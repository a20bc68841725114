/** The address that a request comes from, read before the router looks for a route; the same as `request.ip` later. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '#platform/config.ts';
import { createNetworkCheck } from '#platform/networks.ts';

export type CallerAddressReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string | null;

/** Null if a proxy does not say for whom it asks: everybody would have the proxy's own address. */
export function createCallerAddressReader(tls: Config['tls']): CallerAddressReader {
  if (tls.mode === 'self') return ({ socket }) => socket.remoteAddress ?? null;
  const isTrusted = createNetworkCheck(tls.trustedProxies);
  return ({ headers, socket }) => {
    const own = socket.remoteAddress ?? '';
    if (!isTrusted(own)) return own;
    const chain = listForwardedAddresses(headers['x-forwarded-for']);
    // The right-most that no proxy of ours has; everything left of it may be forged.
    return chain.findLast((address) => !isTrusted(address)) ?? chain[0] ?? null;
  };
}

function listForwardedAddresses(header: string | readonly string[] = ''): string[] {
  return [header]
    .flat()
    .join()
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
}
