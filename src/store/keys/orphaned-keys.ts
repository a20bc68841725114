/** Finds remains of other records in a data folder: new records beside them would hide the loss of the old ones. */
import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramError } from '#platform/exit-codes.ts';
import { createMismatch } from './installation.ts';
import { createFirstPage, PAGE_BYTES } from './key-slots-page.ts';

export function toShredKeysPath(dataDir: string): string {
  return join(dataDir, 'shred.keys');
}

/** Called before a database is created. */
export async function requireNoOrphanedKeys(dataDir: string, database: string): Promise<void> {
  // A start that was killed leaves an empty file.
  if (existsSync(database) && statSync(database).size > 0) return;
  if (await hasUsedSlots(toShredKeysPath(dataDir))) throw createOrphanedKeysError(database);
}

/** For an empty database on a server: null unless the folder has records at this path, or had some. */
export async function explainOtherRecords(dataDir: string, database: string): Promise<string | null> {
  const keys = toShredKeysPath(dataDir);
  const hasRecords = (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasRecords && !(await hasUsedSlots(keys))) return null;
  const left = hasRecords ? `records in ${database}` : `shred keys in ${keys}`;
  return `DATABASE_URL names an empty database, while there are ${left}: correct the name, restore the last backup into it (docs/operating.md), or move away what is in ${dataDir} to start afresh`;
}

export function createOrphanedKeysError(database: string): ProgramError {
  return createMismatch(`${database} is missing, but its shred keys are there`);
}

/** False for a file that does not exist, or in which no slot was ever used. */
export async function hasUsedSlots(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  await using file = await open(path);
  const page = Buffer.alloc(PAGE_BYTES);
  for (let unused = createFirstPage(); ; unused = Buffer.alloc(PAGE_BYTES)) {
    const { bytesRead } = await file.read(page);
    if (bytesRead === 0) return false;
    if (!page.subarray(0, bytesRead).equals(unused.subarray(0, bytesRead))) return true;
  }
}
