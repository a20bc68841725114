/** Says where to report a vulnerability (RFC 9116). */
import type { PublicAddresses } from '#platform/addresses.ts';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app.ts';

const PATH = '/.well-known/security.txt';
const VALID_MS = 90 * DAY_MS;

interface SecurityTxtOptions {
  readonly addresses: PublicAddresses;
  readonly clock: Clock;
  readonly maintainer: string;
}

export function addSecurityTxtRoutes(app: App, { addresses, clock, maintainer }: SecurityTxtOptions): void {
  app.get(PATH, { config: { access: 'public', produces: '*/*' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(`Contact: mailto:${maintainer}
Expires: ${new Date(clock.now() + VALID_MS).toISOString()}
Preferred-Languages: en
Canonical: ${addresses.site}${PATH}
`),
  );
}
