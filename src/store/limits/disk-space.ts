/** The space of the disk that holds the SQLite files, and whether a write would go below its floor. */
import { statfs } from 'node:fs/promises';
import { computeFloor } from './storage-caps.ts';

export interface DiskSpace {
  readonly total: number;
  /** Free for this process. */
  readonly free: number;
  /** In pages that the database has emptied and reuses before its file grows. */
  readonly reusable: number;
}

/** Null if the database is elsewhere; resolves to null if the file system does not report its size. */
export type DiskProbe = (() => Promise<DiskSpace | null>) | null;

export async function measureDisk(folder: string, reusable: number): Promise<DiskSpace | null> {
  const statistics = await statfs(folder).catch(() => null);
  // Some network file systems report no blocks at all.
  if (!statistics || statistics.blocks === 0) return null;
  const { blocks, bavail, bsize } = statistics;
  return { total: blocks * bsize, free: bavail * bsize, reusable };
}

/** Every write passes through the write-ahead log, and so takes twice its size for a while. */
const WRITE_COST = 2;

/** `part` is the part of the floor that this writer must leave. */
export function isBelowFloor({ total, free, reusable }: DiskSpace, bytes: number, part: number): boolean {
  const floor = computeFloor(total) * part;
  const cost = bytes * WRITE_COST;
  // Emptied pages do not help the log, so half of the floor must be free outside the database.
  return free + reusable - cost < floor || free - cost < floor / 2;
}
