/** The address that a request comes from, read before the router looks for a route; the same as `request.ip` later. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '#platform/config/config.ts';
import { createNetworkCheck } from '#platform/net/networks.ts';

interface CallerAddress {
  readonly address: string;
  /** The proxies that vouch for the address, ending with the socket; empty if it is the socket's own address. */
  readonly proxies: readonly string[];
}

export type CallerAddressReader = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
) => CallerAddress | null;

/** Null if a proxy does not name the caller: otherwise all callers would share the proxy's own address. */
export function createCallerAddressReader(tls: Config['tls']): CallerAddressReader {
  const isTrusted = tls.mode === 'self' ? () => false : createNetworkCheck(tls.trustedProxies);
  return ({ headers, socket: { remoteAddress: own = '' } }) => {
    if (!isTrusted(own)) return { address: own, proxies: [] };
    const chain = listForwardedAddresses(headers['x-forwarded-for']);
    // The right-most address that is not one of our proxies; everything to its left may be forged.
    const place = Math.max(
      0,
      chain.findLastIndex((address) => !isTrusted(address)),
    );
    const address = chain[place];
    return address === undefined ? null : { address, proxies: [...chain.slice(place + 1), own] };
  };
}

/** Node joins several such headers into one. */
function listForwardedAddresses(header: string | readonly string[] = ''): string[] {
  return String(header)
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
}
