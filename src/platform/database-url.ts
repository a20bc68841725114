/** The address of a PostgreSQL server: whether it is complete, and whether the way to it is protected. */
import { isLoopbackHost } from './networks.ts';

const SSL_MODES: ReadonlySet<string> = new Set([
  'verify-full',
  'verify-ca',
  'require',
  'no-verify',
  'disable',
]);

export function isPostgresUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return (
    url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && url.pathname.length > 1
  );
}

/** Without a word about TLS the library connects in clear; `disable` is a word. `host` overrules the address. */
export function isProtectedOnTheWay(value: string): boolean {
  const { hostname, searchParams } = new URL(value);
  const host = searchParams.get('host') ?? hostname;
  if (host.startsWith('/') || isLoopbackHost(host)) return true;
  return SSL_MODES.has(searchParams.get('sslmode') ?? '') || searchParams.get('ssl') === 'true';
}
