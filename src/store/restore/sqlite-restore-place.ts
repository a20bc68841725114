/** The place of a restore with SQLite: a folder in DATA_DIR, whose files are moved up at the end. */
import { existsSync, statSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ensureFolder, syncFolder, writeWholeFile } from '#platform/atomic-file.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toDatabasePath } from '../engine/sqlite.ts';
import type { Keyring } from '../keys/keyring.ts';
import { toShredKeysPath } from '../keys/orphaned-keys.ts';
import { type RestorePlace, toRestoreFolder } from './unfinished-restore.ts';

/** Written when everything is prepared: from then on the files are only moved. */
const COMPLETE = 'complete.json';

export async function openSqliteRestorePlace(
  config: RestorePlace['config'],
  keyring: Keyring,
): Promise<RestorePlace> {
  const { dataDir } = config;
  await ensureFolder(dataDir);
  const folder = toRestoreFolder(dataDir);
  const finished = await finishPreviousMove(dataDir, folder, keyring);
  if (finished === undefined) requireEmptyFolder(dataDir);
  return {
    finished,
    config: { ...config, dataDir: folder },
    prepare: async () => {
      await rm(folder, { recursive: true, force: true });
      await ensureFolder(folder);
      await syncFolder(dataDir);
      await requireEmptyBeside(dataDir, folder);
    },
    complete: async (report) => {
      if (existsSync(`${toDatabasePath(folder)}-wal`)) throw new Error('the records are still open');
      requireEmptyFolder(dataDir);
      const mac = keyring.tag('backup', toSignedText(report));
      await writeWholeFile(join(folder, COMPLETE), `${JSON.stringify({ report, mac })}\n`);
      await moveFiles(dataDir, folder);
    },
    abandon: async () => await rm(folder, { recursive: true, force: true }),
    close: async () => {},
  };
}

/** Returns undefined if no earlier restore got this far; its files are then created again. */
async function finishPreviousMove(
  dataDir: string,
  folder: string,
  keyring: Keyring,
): Promise<string | undefined> {
  const report = await readReport(join(folder, COMPLETE), keyring);
  const isThere = [toShredKeysPath, toDatabasePath].every(
    (toPath) => existsSync(toPath(folder)) || existsSync(toPath(dataDir)),
  );
  if (report === undefined || !isThere) return undefined;
  await moveFiles(dataDir, folder);
  return report;
}

/** Undefined unless written with this MASTER_KEY, so that no other program with access here can plant its files. */
async function readReport(path: string, keyring: Keyring): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    const { report, mac } = JSON.parse(await readFile(path, 'utf8'));
    return keyring.tag('backup', toSignedText(report)) === mac ? report : undefined;
  } catch {
    return undefined;
  }
}

function toSignedText(report: string): string {
  return `restored ${report}`;
}

/** Checks again now that the folder keeps others out: a service that looked before that may have created files. */
async function requireEmptyBeside(dataDir: string, folder: string): Promise<void> {
  try {
    requireEmptyFolder(dataDir);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** If the process is killed in between, the folder remains: no service starts, and the next restore continues. */
async function moveFiles(dataDir: string, folder: string): Promise<void> {
  const moves = [toShredKeysPath(folder), toDatabasePath(folder)]
    .filter((from) => existsSync(from))
    .map((from) => ({ from, to: join(dataDir, basename(from)) }));
  requireUnused(moves.map(({ to }) => to));
  for (const { from, to } of moves) await rename(from, to);
  await syncFolder(dataDir);
  await rm(folder, { recursive: true, force: true });
  await syncFolder(dataDir);
}

function requireEmptyFolder(dataDir: string): void {
  requireUnused([toDatabasePath(dataDir), `${toDatabasePath(dataDir)}-wal`, toShredKeysPath(dataDir)]);
}

function requireUnused(paths: readonly string[]): void {
  const used = paths.find((path) => existsSync(path) && statSync(path).size > 0);
  if (used === undefined) return;
  throw new ProgramError(
    `${used} exists, but a restore needs an empty place; set DATA_DIR to another folder, or move it away`,
    EXIT_CODES.cannotCreate,
  );
}
