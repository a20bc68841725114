/** Networks and hosts of the configuration: whether they are well formed, on this machine, or far too wide. */
import { BlockList, isIP, SocketAddress } from 'node:net';

/** The widest network that a list of proxies may name, unless it is private (RFC 4193: fc00::/7). */
const SHORTEST_PREFIX = { 4: 8, 6: 16 } as const;
/** An IPv4 network in the notation of RFC 4291 §2.5.5.2; its first 96 bits are fixed. */
const IPV4_MAPPED = /^::ffff:/;
const MAPPED_BITS = 96;
const IPV4_BITS = 32;

export const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1'] as const;
export const isLoopbackAddress = createNetworkCheck(LOOPBACK_NETWORKS);
/** On most systems a connection to these reaches the machine itself. */
const isUnspecified = createNetworkCheck(['0.0.0.0', '::']);
const isPrivateIpv6 = createNetworkCheck(['fc00::/7']);

/** Whether no other machine can reach the host by this name. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isLoopbackAddress(name) || isUnspecified(name);
}

/** Whether the URL is only scheme, host and port. */
export function isOrigin({ pathname, search, hash, username, password }: URL): boolean {
  return pathname === '/' && !search && !hash && !username && !password;
}

/** Whether an address is in one of the networks; an IPv4-mapped one (RFC 4291 §2.5.5.2) counts as the IPv4 address. */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  return (address) => {
    // Drops the zone of a link-local address (RFC 4007 §11).
    const plain = address.split('%', 1)[0] ?? '';
    const family = toFamily(plain);
    return family !== null && list.check(plain, family);
  };
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const family = toFamily(address) ?? 'ipv4';
  const canonical = new SocketAddress({ address, family }).address;
  const isMapped = IPV4_MAPPED.test(canonical);
  if (isMapped && (prefix === undefined || Number(prefix) >= MAPPED_BITS)) {
    const bits = prefix === undefined ? IPV4_BITS : Number(prefix) - MAPPED_BITS;
    list.addSubnet(canonical.replace(IPV4_MAPPED, ''), bits);
  } else if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(prefix), family);
}

export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = toFamily(address);
  if (family === null || rest.length > 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d+$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), family);
    return true;
  } catch {
    return false;
  }
}

/** A caller in a trusted network can claim any address and so escape every limit per address. */
export function isTooWide(network: string): boolean {
  const [address = '', prefix] = network.split('/');
  const family = toFamily(address);
  if (prefix === undefined || family === null) return false;
  if (family === 'ipv4') return Number(prefix) < SHORTEST_PREFIX[4];
  // In its shortest spelling, however it was written.
  const canonical = new SocketAddress({ address, family }).address;
  if (IPV4_MAPPED.test(canonical)) return Number(prefix) < MAPPED_BITS + SHORTEST_PREFIX[4];
  return Number(prefix) < (isPrivateIpv6(canonical) ? 7 : SHORTEST_PREFIX[6]);
}

function toFamily(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}
