/** Networks and hosts of the configuration: whether they are well formed, on this machine, or far too wide. */
import { BlockList, isIP } from 'node:net';

const LOOPBACK_NAME = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/i;
/** The widest network that a list of proxies may name: a private one such as 10.0.0.0/8 or fc00::/7. */
const SHORTEST_PREFIX = { 4: 8, 6: 7 } as const;
/** An IPv4 network in the notation of RFC 4291 §2.5.5.2; its first 96 bits are fixed. */
const IPV4_MAPPED = /^::ffff:/i;
const MAPPED_BITS = 96;

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_NAME.test(host);
}

export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d+$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
    return true;
  } catch {
    return false;
  }
}

/** Whoever is in a trusted network may claim any address, and so escapes every limit by address. */
export function isTooWide(network: string): boolean {
  const [address = '', prefix] = network.split('/');
  if (prefix === undefined) return false;
  if (isIP(address) === 4) return Number(prefix) < SHORTEST_PREFIX[4];
  const shortest = IPV4_MAPPED.test(address) ? MAPPED_BITS + SHORTEST_PREFIX[4] : SHORTEST_PREFIX[6];
  return Number(prefix) < shortest;
}
