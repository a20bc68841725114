/** Where an authorization may lead: https, a loopback port, or a scheme of an app's own (RFC 8252, RFC 9700 §2.1). */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** RFC 8252 §7.1: a name in reverse, so that nobody takes a scheme that means something else. */
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
const LONGEST = 2_000;

/** What is wrong with it, or null. */
export function findRedirectUriFault(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!url || uri.length > LONGEST) return 'a redirect URI must be an absolute address';
  if (uri.includes('#')) return 'a redirect URI must not have a fragment';
  if (url.username || url.password) return 'a redirect URI must not contain a user name';
  if (url.protocol === 'https:')
    return LOOPBACK.has(url.hostname) ? 'a redirect URI with a loopback address must use http' : null;
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname) ? null : 'a redirect URI must use https';
  return OWN_SCHEME.test(url.protocol) ? null : 'a custom scheme must be a reversed domain name';
}

/** An app on the person's own machine: it listens on whatever port is free (RFC 8252 §7.3). */
export function isNativeRedirectUri(uri: string): boolean {
  return !uri.startsWith('https:');
}

/** As a source of a content security policy. */
export function toRedirectOrigin(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return isNativeRedirectUri(uri) && protocol !== 'http:' ? protocol : origin;
}
