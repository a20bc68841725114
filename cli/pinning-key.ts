/** The options by which commands are given a desk key, the file of its pins, and the office that they work at. */
import { stat } from 'node:fs/promises';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { createUsageFailure } from './command.ts';
import { deskKeyHelp, deskKeyOption, readDeskKey } from './desk-key.ts';
import {
  findOfficeKeyFile,
  type OfficeReach,
  officeHelp,
  officeOptions,
  readOfficeReach,
} from './office-option.ts';

const pinningKeyOptions = { ...deskKeyOption, pins: { type: 'string' } } as const;
const pinsHelp = [
  '--pins FILE',
  'where the keys of opened cases are pinned (default: the name of the key file with .pins added)',
] as const;
const pinningKeyHelp = [deskKeyHelp, pinsHelp] as const;

interface KeyValues {
  readonly key?: string | undefined;
  readonly pins?: string | undefined;
}

async function readPinningKey({ key, pins }: KeyValues): Promise<PinFile> {
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

type OfficeKeyValues = KeyValues & Parameters<typeof readOfficeReach>[0];

export interface DeskAccess extends PinFile {
  /** Null beside the database. */
  readonly office: OfficeReach | null;
}

export async function readDeskAccess(values: OfficeKeyValues): Promise<DeskAccess> {
  const office = await readOfficeReach(values);
  const key = office ? findOfficeKeyFile(values.key) : values.key;
  return { ...(await readPinningKey({ ...values, key })), office };
}

/** For commands that need no key beside the database; an office always asks for one. */
export async function readOptionalAccess(
  values: OfficeKeyValues,
  { readsFiles = false }: { readonly readsFiles?: boolean } = {},
): Promise<DeskAccess | null> {
  const access = await readOfficeAccess(values);
  const { key, pins = `${key}.pins` } = values;
  if (access || key === undefined) return access;
  // Where nothing beside the key is read, it may come from a pipe.
  const file = readsFiles ? await readPinningKey(values) : { identity: await readDeskKey(key), path: pins };
  return { ...file, office: null };
}

export interface OfficeAccess extends PinFile {
  readonly office: OfficeReach;
}

/** Null beside the database. */
async function readOfficeAccess(values: OfficeKeyValues): Promise<OfficeAccess | null> {
  const office = await readOfficeReach(values);
  return office && { ...(await readPinningKey({ ...values, key: findOfficeKeyFile(values.key) })), office };
}

/** Beside the database the key has no use. */
export const officeAloneHelp = [
  ['--key FILE', 'your private key, with --office'],
  pinsHelp,
  ...officeHelp,
] as const;

/** For commands that have no use for a key but at an office. */
export async function readOfficeAlone(values: OfficeKeyValues): Promise<OfficeAccess | null> {
  const access = await readOfficeAccess(values);
  if (!access && (values.key ?? values.pins) !== undefined)
    throw createUsageFailure('--key goes with --office ADDRESS: beside the database no key is needed');
  return access;
}
