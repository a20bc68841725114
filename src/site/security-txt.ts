/** Says where to report a vulnerability (RFC 9116). */
import type { PublicAddresses } from '#platform/addresses.ts';
import { getReleaseExpiry } from '#platform/config/release-age.ts';
import type { App } from '#platform/http/app.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';

const PATH = '/.well-known/security.txt';

interface SecurityTxtOptions {
  readonly addresses: PublicAddresses;
  readonly maintainer: string;
}

export function addSecurityTxtRoutes(app: App, { addresses, maintainer }: SecurityTxtOptions): void {
  app.get(PATH, { config: { access: 'public', produces: '*/*' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(`Contact: mailto:${maintainer}
Expires: ${toIsoTime(getReleaseExpiry())}
Preferred-Languages: en
Canonical: ${addresses.site}${PATH}
`),
  );
}
