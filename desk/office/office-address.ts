/** How an office is reached: its address, whom to trust, and where to connect; or the service of this machine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#platform/config/config.ts';
import { createReadError } from '#platform/exit-codes.ts';
import { isSpkiPin, type OfficeTrust, type SocketTarget } from './secure-socket.ts';

export interface OfficeAddress {
  readonly origin: string;
  /** Without a trailing slash; the API's default path if the address has none. */
  readonly apiPath: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

const HTTPS_PORT = 443;
const USUAL_API_PATH = '/api';

/** Null unless it is an https address without user, query and fragment. */
export function parseOfficeAddress(text: string): OfficeAddress | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, password, search, hash, origin, hostname, port, pathname } = new URL(text);
  if (protocol !== 'https:' || `${username}${password}${search}${hash}` !== '') return null;
  return {
    origin,
    apiPath: pathname.replace(/\/+$/, '') || USUAL_API_PATH,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? HTTPS_PORT : Number(port),
  };
}

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** The service that this machine's configuration describes, and the desk key that its first start created. */
export function describeOwnService({ site, dataDir, tls, listen }: Config) {
  const isOwnCertificate = tls.mode === 'self' && tls.files === null;
  const trust: TrustChoice = isOwnCertificate ? { caPath: join(dataDir, 'tls', 'localhost.crt') } : 'public';
  const host = EVERY_ADDRESS.includes(listen.host) ? 'localhost' : listen.host;
  // Its own listener needs no DNS.
  const connect = tls.mode === 'self' ? { host, port: listen.port } : null;
  // The configuration has already checked the address.
  const address = parseOfficeAddress(`${site.url}${site.apiPath}`)!;
  return { address, trust, connect, keyPath: join(dataDir, 'keys', 'desk.key') };
}

/** The public authorities, those of a file, or one key. */
export type TrustChoice = 'public' | { readonly caPath: string } | { readonly pin: string };

type CreateFault = (line: string) => Error;

export function parseTrustChoice(
  { pin, ca }: { readonly pin?: string | undefined; readonly ca?: string | undefined },
  createFault: CreateFault,
): TrustChoice {
  if (pin !== undefined && ca !== undefined) throw createFault('--pin and --ca cannot be combined');
  if (pin !== undefined && !isSpkiPin(pin))
    throw createFault(`--pin must be sha256/ followed by the hash of the office’s public key in base64`);
  if (pin !== undefined) return { pin };
  return ca === undefined ? 'public' : { caPath: ca };
}

export async function readOfficeTrust(choice: TrustChoice): Promise<OfficeTrust> {
  if (choice === 'public' || 'pin' in choice) return choice;
  try {
    return { ca: await readFile(choice.caPath, 'utf8') };
  } catch (error) {
    throw createReadError(choice.caPath, error);
  }
}

/** An IPv6 address is in brackets; a name may be. */
export function parseSocketTarget(text: string, createFault: CreateFault): SocketTarget {
  const [, bracketed, host = bracketed, port = ''] =
    /^(?:\[([^[\]\s]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) > 0 && Number(port) < 65_536) return { host, port: Number(port) };
  throw createFault('--connect must be HOST:PORT, such as localhost:9443');
}
