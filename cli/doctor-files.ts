/** What the doctor says about the files of a data folder: which are missing, left over, or not for this user alone. */
import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toDatabasePath } from '#store/sqlite.ts';
import { createStrayKeysError, hasUsedSlots } from '#store/stray-keys.ts';
import { createUnfinishedRestoreError, toRestoreFolder } from '#store/unfinished-restore.ts';
import type { Observation } from './doctor-observation.ts';
import { explainAccess } from './file-access.ts';

const PRIVATE_FILES = [
  'inquiry-office.db',
  'inquiry-office.db-wal',
  'inquiry-office.db-shm',
  'shred.keys',
  'keys/master.key',
  'keys/desk.key',
  'keys/recovery.key',
];
const OTHERS = 0o077;
/** Written before a file was renamed into its place. */
const LEFTOVER = /\.draft$/;

export async function inspectDataFolder(dataDir: string, hasRecords: boolean): Promise<Observation[]> {
  const fault = explainAccess(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (fault) return hasRecords || !fault.isMissing ? [{ isWrong: true, text: fault.text }] : [];
  return [
    ...PRIVATE_FILES.flatMap((name) => inspectFile(join(dataDir, name))),
    ...inspectLeftovers(dataDir),
    ...(hasRecords ? inspectRestore(dataDir) : []),
    ...(hasRecords ? await inspectPresence(dataDir) : []),
  ];
}

export function hasReadableRecords(dataDir: string): boolean {
  return explainAccess(toDatabasePath(dataDir), constants.R_OK) === null;
}

function inspectRestore(dataDir: string): Observation[] {
  return existsSync(toRestoreFolder(dataDir))
    ? [{ isWrong: true, text: createUnfinishedRestoreError().message }]
    : [];
}

function inspectFile(path: string): Observation[] {
  const fault = explainAccess(path, constants.R_OK | constants.W_OK);
  if (fault) return fault.isMissing ? [] : [{ isWrong: true, text: fault.text }];
  const mode = statSync(path).mode & 0o777;
  if ((mode & OTHERS) === 0 || process.platform === 'win32') return [];
  return [
    {
      isWrong: true,
      text: `Other users of this machine may use ${path} (${mode.toString(8)}); chmod 600 it.`,
    },
  ];
}

function inspectLeftovers(dataDir: string): Observation[] {
  return readdirSync(dataDir)
    .filter((name) => LEFTOVER.test(name))
    .map((name) => ({
      isWrong: false,
      text: `${join(dataDir, name)} was left by a program that was killed; it can go while the service is stopped.`,
    }));
}

async function inspectPresence(dataDir: string): Promise<Observation[]> {
  const path = toDatabasePath(dataDir);
  const fault = explainAccess(path, constants.F_OK);
  if (!fault?.isMissing) return [];
  const hasKeys = await hasUsedSlots(join(dataDir, 'shred.keys'));
  return [{ isWrong: true, text: hasKeys ? createStrayKeysError(path).message : fault.text }];
}
