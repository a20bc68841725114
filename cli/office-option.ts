/** The options by which a command works at an office over the network instead of beside its database. */
import type { OfficeOptions } from '#desk-program/office/connect.ts';
import { parseOfficeAddress } from '#desk-program/office/office-address.ts';
import { parseSocketTarget, parseTrustChoice, readOfficeTrust } from '#desk-program/office/reach-options.ts';
import { loadOfficeVariables } from '#platform/config.ts';
import { createUsageFailure } from './command.ts';
import { getIo } from './io.ts';

/** An office, and whom to trust on the way there. */
export type OfficeReach = Pick<OfficeOptions, 'address' | 'trust' | 'connect'>;

export const officeOptions = {
  office: { type: 'string' },
  'office-pin': { type: 'string' },
  'office-ca': { type: 'string' },
  connect: { type: 'string' },
} as const;
export const officeHelp = [
  [
    '--office ADDRESS',
    `work at this office over the network, such as https://office.example; needs no database.
The variables OFFICE_URL and OFFICE_KEY stand for --office and --key; an option wins`,
  ],
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
  const { connect, 'office-pin': pin, 'office-ca': ca } = values;
  const office = values.office ?? loadOfficeVariables(getIo().env).url;
  if (office === null) {
    if ((pin ?? ca ?? connect) !== undefined) throw createUsageFailure('--office ADDRESS is missing');
    return null;
  }
  const address = parseOfficeAddress(office);
  if (!address)
    throw createUsageFailure(
      `${values.office === undefined ? 'OFFICE_URL' : '--office'} takes an address such as https://office.example`,
    );
  const names = { prefix: '--office-', createFault: createUsageFailure };
  return {
    address,
    trust: await readOfficeTrust(parseTrustChoice({ pin, ca }, names)),
    ...(connect === undefined ? {} : { connect: parseSocketTarget(connect, createUsageFailure) }),
  };
}

/** The key that goes with the office of the environment; a path from the option wins. */
export function findOfficeKeyFile(key: string | undefined): string | undefined {
  return key ?? loadOfficeVariables(getIo().env).keyFile ?? undefined;
}
