/** Which addresses are on the public internet: no client may name a target in the service's own network. */
import { isIPv4, isIPv6 } from 'node:net';
import { createNetworkCheck } from './networks.ts';

/** Private, local, shared, reserved or for documentation (RFC 6890 and IANA's registry of special addresses). */
const isSpecialIpv4 = createNetworkCheck([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Serves the metadata of machines in a large cloud, although it looks public.
  '168.63.129.16/32',
]);

/** Everything else of IPv6 is local, mapped, translated (NAT64) or not assigned (RFC 4291 §2.4). */
const isGlobalIpv6 = createNetworkCheck(['2000::/3']);
/** Protocol assignments with Teredo, documentation, and 6to4, which carries any IPv4 address. */
const isSpecialIpv6 = createNetworkCheck(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

export const isLoopbackAddress = createNetworkCheck(['127.0.0.0/8', '::1']);

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !isSpecialIpv4(address);
  return isIPv6(address) && isGlobalIpv6(address) && !isSpecialIpv6(address);
}
