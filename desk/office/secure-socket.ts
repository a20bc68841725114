/** Opens connections to the office, trusted only by public authorities, a chosen one, or a pinned key. */
import { hash, type X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, rootCertificates, type TLSSocket } from 'node:tls';
import { OfficeFault } from './office-fault.ts';

/** Authorities in PEM, the SPKI pin `sha256/…` (RFC 7469 §2.4) of the only key accepted, or the public authorities. */
export type OfficeTrust = 'public' | { readonly ca: string } | { readonly pin: string };

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
}

export interface SocketOptions {
  /** The office's own name and port. */
  readonly office: SocketTarget;
  /** Where the socket connects instead, such as the near end of a tunnel; the office's own name is still checked. */
  readonly connect?: SocketTarget | undefined;
  readonly trust: OfficeTrust;
}

const CONNECT_MS = 15_000;

/** Nothing is written to the socket before it is trusted. */
export async function openSecureSocket({
  office,
  connect: target,
  trust,
}: SocketOptions): Promise<TLSSocket> {
  const pin = typeof trust === 'object' && 'pin' in trust ? trust.pin : null;
  const socket = connect({
    ...(target ?? office),
    // An address cannot be a server name (RFC 6066 §3).
    ...(isIP(office.host) === 0 ? { servername: office.host } : {}),
    ca: typeof trust === 'object' && 'ca' in trust ? trust.ca : [...rootCertificates],
    // Explicit, so that no environment variable can turn it off. A pinned key is checked below instead.
    rejectUnauthorized: pin === null,
    checkServerIdentity: (_, certificate) => checkServerIdentity(office.host, certificate),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
  });
  try {
    await waitForSecureConnection(socket);
    if (pin !== null) requirePinnedCertificate(socket.getPeerX509Certificate(), pin);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function waitForSecureConnection(socket: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    reject(new OfficeFault('unreachable', 'The office is not answering. Is the network up?'));
  }, CONNECT_MS);
  socket.once('secureConnect', resolve);
  socket.once('error', (error) => reject(toConnectionFault(error)));
  socket.once('close', () => reject(toConnectionFault(undefined)));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    // Later errors are handled by the request that they interrupt.
    socket.removeAllListeners('error').removeAllListeners('close');
    socket.on('error', () => undefined);
  }
}

/** The key identifies the office, so the name is not checked; an expired certificate is still refused. */
function requirePinnedCertificate(certificate: X509Certificate | undefined, pin: string): void {
  if (!certificate) throw createTrustFault('it presents no certificate');
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  if (`sha256/${hash('sha256', key, 'base64')}` !== pin)
    throw createTrustFault('its key is not the one that you pinned');
  const now = Date.now();
  if (now < certificate.validFromDate.getTime()) throw createTrustFault('its certificate is not valid yet');
  if (now > certificate.validToDate.getTime()) throw createTrustFault('its certificate has expired');
}

export function isSpkiPin(text: string): boolean {
  return /^sha256\/[A-Za-z0-9+/]{43}=$/.test(text);
}

/** System errors name a system call; all others are about the certificate. */
function toConnectionFault(error: unknown): OfficeFault {
  const { code = '', syscall } = (error ?? {}) as { code?: string; syscall?: string };
  if (error === undefined || syscall !== undefined || code === 'ECONNRESET')
    return new OfficeFault(
      'unreachable',
      `The office cannot be reached${code === '' ? '' : ` (${code})`}. Nothing was sent.`,
      error,
    );
  const reason = trustFaults[code] ?? `its certificate is not trusted (${code || 'no reason given'})`;
  return createTrustFault(reason, error);
}

const trustFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; trust its key with --pin, or its authority with --ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

function createTrustFault(reason: string, cause?: unknown): OfficeFault {
  return new OfficeFault(
    'untrusted',
    `This server could not be verified as your office: ${reason}. Nothing was sent.`,
    cause,
  );
}
