/** The options by which commands are given a desk key and the file of its pins. */
import { stat } from 'node:fs/promises';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { createUsageFailure } from './command.ts';
import { deskKeyHelp, deskKeyOption, readDeskKey } from './desk-key.ts';
import { type OfficeReach, officeHelp, officeOptions, readOfficeReach } from './office-option.ts';

export const pinningKeyOptions = { ...deskKeyOption, pins: { type: 'string' } } as const;
export const pinningKeyHelp = [
  deskKeyHelp,
  [
    '--pins FILE',
    'where the keys of opened cases are pinned (default: the name of the key file with .pins added)',
  ],
] as const;

export async function readPinningKey({ key, pins }: { key?: string; pins?: string }): Promise<PinFile> {
  const identity = await readDeskKey(key);
  if (pins !== undefined) return { identity, path: pins };
  if (!(await stat(key ?? '')).isFile())
    throw createUsageFailure(
      '--pins FILE is missing: the key is not a file, so its pins have no place beside it',
    );
  return { identity, path: `${key}.pins` };
}

/** For commands that work beside the database or at an office over the network. */
export const officeKeyOptions = { ...pinningKeyOptions, ...officeOptions } as const;
export const officeKeyHelp = [...pinningKeyHelp, ...officeHelp] as const;

export interface DeskAccess extends PinFile {
  /** Null beside the database. */
  readonly office: OfficeReach | null;
}

export async function readDeskAccess(
  values: Parameters<typeof readPinningKey>[0] & Parameters<typeof readOfficeReach>[0],
): Promise<DeskAccess> {
  const office = await readOfficeReach(values);
  return { ...(await readPinningKey(values)), office };
}
