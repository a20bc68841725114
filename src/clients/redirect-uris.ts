/** Which redirect URIs are allowed: https, loopback, or an app's private-use scheme (RFC 8252, RFC 9700 §2.1). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** RFC 8252 §7.1: a reversed domain name, so that the scheme cannot collide with a common one. */
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
/** RFC 3986 §2. The URL parser would repair other text, so people and programs would read a different address. */
const URI_TEXT = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;
/** With a plain host, because it also becomes a source in the content security policy. */
const WEB_URI = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:[/?]|$)/i;
const MAX_LENGTH = 2_000;
const NO_ADDRESS = 'a redirect URI must be an absolute address, with nothing in it that has to be encoded';
/** Per client. */
export const MAX_REDIRECT_URIS = 10;

/** Returns what is wrong with the URI, or null. */
export function findRedirectUriFault(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!url || uri.length > MAX_LENGTH || !URI_TEXT.test(uri)) return NO_ADDRESS;
  if (uri.includes('#')) return 'a redirect URI must not have a fragment';
  if (url.username || url.password) return 'a redirect URI must not contain a user name';
  if (/^https?:$/.test(url.protocol) && !WEB_URI.test(uri)) return NO_ADDRESS;
  if (url.protocol === 'https:')
    return LOOPBACK_HOSTS.has(url.hostname) ? 'a redirect URI with a loopback address must use http' : null;
  if (url.protocol === 'http:')
    return LOOPBACK_HOSTS.has(url.hostname) ? null : 'a redirect URI must use https';
  // Any app can claim such a scheme; with PKCE, the code is useless to it.
  return PRIVATE_USE_SCHEME.test(url.protocol)
    ? null
    : 'a scheme of its own must be a reversed domain name, such as com.example.app:/callback';
}

/** True for an app on the user's own device: it may use any free loopback port (RFC 8252 §7.3). */
export function isNativeRedirectUri(uri: string): boolean {
  return new URL(uri).protocol !== 'https:';
}

/** Formats the URI as a source of a content security policy, in which a host has no brackets (CSP 3 §2.3.1). */
export function toRedirectOrigin(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol;
}
