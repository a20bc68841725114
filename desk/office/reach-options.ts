/** Options for reaching an office: where to connect instead, and whom to trust. */
import { readFile } from 'node:fs/promises';
import { createReadError } from '#platform/exit-codes.ts';
import { isSpkiPin, type OfficeTrust, type SocketTarget } from './secure-socket.ts';

/** The public authorities, those of a file, or one key. */
export type TrustChoice = 'public' | { readonly caPath: string } | { readonly pin: string };

interface TrustOptions {
  readonly pin?: string | undefined;
  readonly ca?: string | undefined;
}

type CreateFault = (line: string) => Error;

export function parseTrustChoice({ pin, ca }: TrustOptions, createFault: CreateFault): TrustChoice {
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
