/** A session at an office for one command, and the options that name the office and a desk key. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { PinFile } from '#desk/keys/pin-file.ts';
import {
  describeOwnService,
  parseOfficeAddress,
  parseSocketTarget,
  parseTrustChoice,
  readOfficeTrust,
  type TrustChoice,
} from '#desk/office/office-address.ts';
import { connectOffice, type OfficeClient, type OfficeOptions } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { OfficeSession } from '#desk/office/office-people.ts';
import type { SocketTarget } from '#desk/office/secure-socket.ts';
import { loadConfig } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { type InvestigatorNames, listOfficeNames } from './cases/case-facts.ts';
import { createUsageFailure, type OptionValues } from './command.ts';
import { deskKeyOption, readDeskKey } from './keys/desk-key.ts';
import { getIo } from './terminal/io.ts';

export const officeOptions = [
  deskKeyOption,
  [
    '--pins FILE',
    'where the keys of opened cases are pinned (default: the name of the key file with .pins added)',
  ],
  [
    '--office ADDRESS',
    'the office, such as https://office.example; without it, the service of this machine and its desk key',
  ],
  ['--pin PIN', 'trust only this public key of the office: sha256/…'],
  ['--ca FILE', 'trust the authorities in this file instead of the public ones'],
  ['--connect HOST:PORT', 'connect to this address instead, such as the local end of a tunnel'],
] as const;

export type OfficeValues = OptionValues<typeof officeOptions>;

/** An office, the key or authorities to trust for it, and the key to sign in with. */
export interface OfficeAccess extends Pick<OfficeOptions, 'address' | 'trust' | 'connect' | 'key'> {
  /** The service of this machine, which may not be running. */
  readonly isOwn: boolean;
}

export async function readOfficeAccess(values: OfficeValues): Promise<OfficeAccess> {
  return (await findNamedOffice(values)) ?? (await readOwnService(values));
}

/** Null if no office is named. */
export async function findNamedOffice(values: OfficeValues): Promise<OfficeAccess | null> {
  if (values.office === undefined) return null;
  const address = parseOfficeAddress(values.office);
  if (!address) throw createUsageFailure('--office takes an address such as https://office.example');
  const key = await readPinningKey(values.key, values.pins);
  return { address, ...(await readReach(values, 'public', null)), key, isOwn: false };
}

async function readOwnService(values: OfficeValues): Promise<OfficeAccess> {
  const { address, trust, connect, keyPath } = describeOwnService(loadConfig(getIo().env));
  const path = values.key ?? keyPath;
  if (path === keyPath && !existsSync(keyPath))
    throw createUsageFailure(
      `There is no ${keyPath}: add --key FILE with your private key and, unless you mean the service of this configuration, --office ADDRESS`,
    );
  const key = await readPinningKey(path, values.pins);
  if (typeof trust === 'object' && 'caPath' in trust && !existsSync(trust.caPath))
    throw createUsageFailure(
      `There is no ${trust.caPath}, so no service has been started here yet: add --office ADDRESS, or check DATA_DIR`,
    );
  return { address, ...(await readReach(values, trust, connect)), key, isOwn: true };
}

async function readReach(
  { pin, ca, connect }: OfficeValues,
  usualTrust: TrustChoice,
  usualTarget: SocketTarget | null,
): Promise<Pick<OfficeOptions, 'trust' | 'connect'>> {
  const choice = parseTrustChoice({ pin, ca }, createUsageFailure);
  const trust = await readOfficeTrust(choice === 'public' ? usualTrust : choice);
  const target = connect === undefined ? usualTarget : parseSocketTarget(connect, createUsageFailure);
  return { trust, connect: target ?? undefined };
}

export async function readPinningKey(key: string | undefined, pins: string | undefined): Promise<PinFile> {
  const identity = await readDeskKey(key);
  if (pins !== undefined) return { identity, path: pins };
  if (!(await stat(key ?? '')).isFile())
    throw createUsageFailure(
      '--pins FILE is missing: the key is not a regular file, so its pins cannot be stored beside it',
    );
  return { identity, path: `${key}.pins` };
}

export interface OfficeLink {
  readonly office: OfficeClient;
  /** The names of the office's people whom the investigator has confirmed. */
  readonly names: InvestigatorNames;
}

export async function withOffice<Result>(
  values: OfficeValues,
  work: (link: OfficeLink) => Promise<Result>,
): Promise<Result> {
  return await withOfficeLink(await readOfficeAccess(values), work);
}

/** The session ends with the work. */
export async function withOfficeLink<Result>(
  access: OfficeAccess,
  work: (link: OfficeLink) => Promise<Result>,
): Promise<Result> {
  const office = await connectOffice(access);
  try {
    const { known } = await signInAtOffice(office, access);
    return await work({ office, names: listOfficeNames(known) });
  } finally {
    // If the office is gone, the session expires by itself.
    await office.signOut().catch(() => undefined);
    office.close();
  }
}

async function signInAtOffice(
  office: OfficeClient,
  { isOwn, address }: OfficeAccess,
): Promise<OfficeSession> {
  try {
    return await office.signIn();
  } catch (error) {
    if (!isOwn || !(error instanceof OfficeFault)) throw error;
    if (error.code === 'not_for_desk')
      throw new ProgramError(
        'The service does not accept this machine as a desk: add 127.0.0.0/8,::1 to DESK_NETWORKS or, behind a proxy on this machine, use --connect 127.0.0.1:443.',
        EXIT_CODES.noPermission,
        error,
      );
    if (error.code !== 'unreachable') throw error;
    throw new ProgramError(
      `The service of this machine (${address.origin}) is not running: start it, or use --office ADDRESS for another one.`,
      EXIT_CODES.unavailable,
      error,
    );
  }
}
