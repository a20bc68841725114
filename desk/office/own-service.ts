/** The service that this machine's configuration describes: where it listens, whom to trust, and the key it made. */
import { join } from 'node:path';
import type { Config } from '#platform/config/config.ts';
import { type OfficeAddress, parseOfficeAddress } from './office-address.ts';
import type { TrustChoice } from './reach-options.ts';
import type { SocketTarget } from './secure-socket.ts';

export interface OwnService {
  readonly address: OfficeAddress;
  /** Only the certificate that the service has made for itself, or else the public authorities. */
  readonly trust: TrustChoice;
  /** Its own listener, which needs no DNS; null behind a proxy. */
  readonly connect: SocketTarget | null;
  /** The desk key that its first start created. */
  readonly keyPath: string;
}

const EVERY_ADDRESS = ['0.0.0.0', '::'];

export function describeOwnService({ site, dataDir, tls, listen }: Config): OwnService {
  const isOwnCertificate = tls.mode === 'self' && tls.files === null;
  const host = EVERY_ADDRESS.includes(listen.host) ? 'localhost' : listen.host;
  return {
    // The configuration has already checked the address.
    address: parseOfficeAddress(`${site.url}${site.apiPath}`)!,
    trust: isOwnCertificate ? { caPath: join(dataDir, 'tls', 'localhost.crt') } : 'public',
    connect: tls.mode === 'self' ? { host, port: listen.port } : null,
    keyPath: join(dataDir, 'keys', 'desk.key'),
  };
}
