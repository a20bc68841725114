/** Small disks for a service under test: a real one if mounting is permitted, and one that only reports its size. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import type { DiskProbe } from '#store/limits/storage-caps.ts';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';

export interface SmallDisk {
  readonly name: 'mounted' | 'simulated';
  /** A data folder as after a first start. */
  readonly folder: string;
  /** Null if the disk itself is small. */
  readonly probe: DiskProbe;
}

export async function createSimulatedDisk(t: CleanupScope, bytes: number): Promise<SmallDisk> {
  const folder = await createDataFolder(t);
  const measureSpace = async () => ({
    total: bytes,
    free: Math.max(0, bytes - countFolderBytes(folder)),
    reusable: countEmptyPages(toDatabasePath(folder)),
  });
  return { name: 'simulated', folder, probe: measureSpace };
}

/** Returns null if mounting is not permitted. */
export async function createMountedDisk(owner: CleanupScope, bytes: number): Promise<SmallDisk | null> {
  const t = withReverseCleanup(owner);
  const folder = await createTemporaryFolder(t);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', folder]);
  if (status !== 0) return null;
  // Lazily, because a program that is ending may still have a file open.
  t.after(() => spawnSync('umount', ['--lazy', folder]));
  await cp(await createDataFolder(t), folder, { recursive: true });
  return { name: 'mounted', folder, probe: null };
}

function countFolderBytes(folder: string): number {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function countEmptyPages(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  const readPragma = (name: string) =>
    Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
  return readPragma('freelist_count') * readPragma('page_size');
}
