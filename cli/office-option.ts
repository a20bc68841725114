/** The options by which a command works at an office over the network instead of beside its database. */
import { readFile } from 'node:fs/promises';
import type { OfficeOptions } from '#desk-program/office/connect.ts';
import { parseOfficeAddress } from '#desk-program/office/office-address.ts';
import { isSpkiPin, type OfficeTrust, type SocketTarget } from '#desk-program/office/secure-socket.ts';
import { formatFileFault } from '#platform/error-code.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { createUsageFailure } from './command.ts';
import { CommandFailure } from './failure.ts';

/** An office, and whom to trust on the way there. */
export type OfficeReach = Pick<OfficeOptions, 'address' | 'trust' | 'connect'>;

export const officeOptions = {
  office: { type: 'string' },
  'office-pin': { type: 'string' },
  'office-ca': { type: 'string' },
  connect: { type: 'string' },
} as const;
export const officeHelp = [
  ['--office ADDRESS', 'work at this office, such as https://office.example; needs no database'],
  ['--office-pin PIN', 'trust the office by this public key alone: sha256/…'],
  ['--office-ca FILE', 'trust the authorities in this file instead of the public ones'],
  ['--connect HOST:PORT', 'connect there instead, as to the near end of a tunnel'],
] as const;

interface OfficeValues {
  readonly office?: string | undefined;
  readonly 'office-pin'?: string | undefined;
  readonly 'office-ca'?: string | undefined;
  readonly connect?: string | undefined;
}

/** Null if the command works beside the database. */
export async function readOfficeReach(values: OfficeValues): Promise<OfficeReach | null> {
  const { office, connect, 'office-pin': pin, 'office-ca': ca } = values;
  if (office === undefined) {
    if ((pin ?? ca ?? connect) !== undefined) throw createUsageFailure('--office ADDRESS is missing');
    return null;
  }
  const address = parseOfficeAddress(office);
  if (!address) throw createUsageFailure('--office takes an address such as https://office.example');
  return {
    address,
    trust: await readOfficeTrust(pin, ca),
    ...(connect === undefined ? {} : { connect: parseSocketTarget(connect) }),
  };
}

async function readOfficeTrust(pin: string | undefined, ca: string | undefined): Promise<OfficeTrust> {
  if (pin !== undefined && ca !== undefined)
    throw createUsageFailure('Give either --office-pin or --office-ca');
  if (pin !== undefined && !isSpkiPin(pin)) throw createUsageFailure('--office-pin takes sha256/… in base64');
  if (pin !== undefined) return { pin };
  if (ca === undefined) return 'public';
  try {
    return { ca: await readFile(ca, 'utf8') };
  } catch (error) {
    throw new CommandFailure(`${ca}: cannot be read (${formatFileFault(error)})`, EXIT_CODES.noInput, error);
  }
}

function parseSocketTarget(text: string): SocketTarget {
  const [, bracketed, host = bracketed, port = ''] =
    /^(?:\[([\da-fA-F:.]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) > 0 && Number(port) < 65_536) return { host, port: Number(port) };
  throw createUsageFailure('--connect takes HOST:PORT');
}
