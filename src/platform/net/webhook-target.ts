/** Where a webhook may be sent: an https address all of whose IP addresses are public, and the one to connect to. */
import { Resolver } from 'node:dns/promises';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../durations.ts';
import { createNetworkCheck, isLoopbackAddress, isLoopbackHost } from './networks.ts';

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

/** IANA assigns global unicast addresses only from this block; the rest is local, multicast, mapped or reserved. */
const isGlobalIpv6 = createNetworkCheck(['2000::/3']);
/** Protocol assignments with Teredo, documentation, and 6to4, which carries any IPv4 address. */
const isSpecialIpv6 = createNetworkCheck(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

export const MAX_CALLBACK_URL = 1_024;
/** Lower ports belong to mail, shells and the like, none of which expects a webhook. */
const FIRST_FREE_PORT = 1_024;
const DNS_MS = SECOND_MS;
/** For all name servers and attempts together, because the limits of each would add up. */
const RESOLVE_MS = 3 * SECOND_MS;

/** Returns every address of a name; throws, or returns none, if there is none. */
export type HostResolver = (host: string) => Promise<readonly string[]>;

/** Decides where webhooks may be sent. */
export interface WebhookNetwork {
  readonly resolveHost: HostResolver;
  /** For tests and development: allows this machine as a target. */
  readonly allowLoopback: boolean;
}

/** Connect to exactly this address: resolving the name again could give another one. */
export interface WebhookTarget {
  readonly url: URL;
  readonly address: string;
}

/** Its message is a sentence for the person who chose the target. */
export class TargetFault extends Error {
  override readonly name = 'TargetFault';
}

/** Asks the name service directly: hosts files have private names, and a system lookup occupies one of few threads. */
export async function resolvePublicName(host: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** Checked when the target is chosen and again before each delivery, since the name may resolve differently by then. */
export async function resolveWebhookTarget(
  { resolveHost, allowLoopback }: WebhookNetwork,
  text: string,
): Promise<WebhookTarget> {
  const url = parseWebhookUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await listAddresses(resolveHost, host);
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
  const [address] = addresses;
  if (address === undefined) throw new TargetFault('The name service gave no address of the host.');
  if (!addresses.every(isAllowed))
    throw new TargetFault(
      'The host is not on the public internet: one of its addresses is private or reserved.',
    );
  return { url, address };
}

async function listAddresses(resolveHost: HostResolver, host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // RFC 6761 §6.3: resolved without the name service.
  if (isLoopbackHost(host)) return ['127.0.0.1'];
  const done = new AbortController();
  const noAnswer = sleep(RESOLVE_MS, [], { signal: done.signal }).catch(() => []);
  try {
    return await Promise.race([resolveHost(host).catch(() => []), noAnswer]);
  } finally {
    done.abort();
  }
}

/** Spellings such as a decimal IPv4 address become the usual one. */
function parseWebhookUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') throw new TargetFault('An absolute https:// address is expected.');
  if (url.username !== '' || url.password !== '')
    throw new TargetFault('The address must have no user name and no password.');
  if (url.hash !== '') throw new TargetFault('The address must have no fragment.');
  if (url.port !== '' && Number(url.port) < FIRST_FREE_PORT)
    throw new TargetFault(`The port must be 443, or ${FIRST_FREE_PORT} or higher.`);
  return url;
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !isSpecialIpv4(address);
  return isIPv6(address) && isGlobalIpv6(address) && !isSpecialIpv6(address);
}
