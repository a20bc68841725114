/** The caps on what all people who have paid nothing may store together, and the floor of the disk. */
import { statfs } from 'node:fs/promises';

const MIB = 1024 * 1024;

interface StorageCap {
  readonly number: number;
  readonly bytes: number;
}

export const storageCaps = {
  /** Handled messages give way to new ones. */
  contact_messages: { number: 2_000, bytes: 128 * MIB },
  /** Pending and rejected; as many as a person can review. Rejected ones give way to new ones. */
  registrations: { number: 1_000, bytes: 24 * MIB },
  /** Sign-ins that have begun; they last minutes. */
  sign_ins: { number: 10_000, bytes: 48 * MIB },
  /** Spent codes give way to new ones. */
  sign_in_codes: { number: 20_000, bytes: 24 * MIB },
  /** The oldest give way to new ones, so that checkout stays open. */
  unpaid_orders: { number: 50_000, bytes: 64 * MIB },
} as const satisfies Record<string, StorageCap>;

export type CappedKind = keyof typeof storageCaps;
export const CAPPED_KINDS = Object.keys(storageCaps) as CappedKind[];

/** For each uploader, 256 KiB each: enough to send the largest inquiry again after three lost connections. */
export const MAX_UPLOADED_PIECES = 1_800;

/** The size of a row besides its content: its other columns and its entries in indexes. */
export const ROW_BYTES = 1_024;

/** On a small disk all caps shrink, so that together they take at most this part of it. */
const CAPPED_SHARE = 1 / 2;

const MAX_FLOOR_BYTES = 256 * MIB;
const FLOOR_SHARE = 1 / 5;

/** The part of the floor that each writer must leave; purges, webhooks and content sent in a case may use it all. */
export const FLOOR_PARTS = { strangers: 1, checkout: 1 / 2, uploads: 1 / 4 } as const;

export function computeFloor(diskBytes: number): number {
  return Math.min(MAX_FLOOR_BYTES, diskBytes * FLOOR_SHARE);
}

/** `diskBytes` is null if the size of the disk is not known. */
export function computeCap(kind: CappedKind, diskBytes: number | null): StorageCap {
  const { number, bytes } = storageCaps[kind];
  const total = Object.values(storageCaps).reduce((sum, cap) => sum + cap.bytes, 0);
  const factor = diskBytes === null ? 1 : Math.min(1, (diskBytes * CAPPED_SHARE) / total);
  return { number: Math.ceil(number * factor), bytes: Math.ceil(bytes * factor) };
}

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
