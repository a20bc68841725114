/** Watches the space of the disk for all writers, and does not ask for it anew for each of them while there is plenty. */
import { type DiskProbe, type DiskSpace, isBelowFloor } from './disk-space.ts';

/** How long a measurement counts. */
const MEASURED_MS = 100;
/** No program fills so much above the floor in that time; below it, every writer measures. */
const PLENTY_BYTES = 64 * 1024 * 1024;

interface DiskMeasurement {
  readonly space: DiskSpace;
  /** Of all bytes that were announced, those that were on the disk before it was measured. */
  readonly writtenBefore: number;
  readonly measuredAt: number;
}

/** What one writer sees; asked and followed by `announce` without waiting in between. */
interface DiskView {
  /** Null where it is not known. */
  readonly total: number | null;
  /** `part` is the part of the floor that this writer must leave. */
  readonly isLow: (part: number) => boolean;
}

export interface DiskWatch {
  /** For a writer of so many bytes. */
  readonly look: (bytes: number) => Promise<DiskView>;
  /** Bytes that will be written. */
  readonly announce: (bytes: number) => void;
  /** They are on the disk, or never will be. */
  readonly settle: (bytes: number) => void;
}

export function createDiskWatch(probe: DiskProbe): DiskWatch {
  let announced = 0;
  let settled = 0;
  let last: DiskMeasurement | null = null;

  function isLow({ space, writtenBefore }: DiskMeasurement, bytes: number, part: number): boolean {
    return isBelowFloor(space, announced - writtenBefore + bytes, part);
  }

  function findRecent(bytes: number): DiskMeasurement | null {
    const isRecent = last !== null && performance.now() - last.measuredAt < MEASURED_MS;
    return isRecent && !isLow(last!, PLENTY_BYTES + bytes, 1) ? last : null;
  }

  async function measureAgain(): Promise<DiskMeasurement | null> {
    const before = { writtenBefore: settled, measuredAt: performance.now() };
    const space = (await probe?.()) ?? null;
    last = space && { space, ...before };
    return last;
  }

  return {
    look: async (bytes) => {
      const measured = findRecent(bytes) ?? (await measureAgain());
      return {
        total: measured?.space.total ?? null,
        isLow: (part) => measured !== null && isLow(measured, bytes, part),
      };
    },
    announce: (bytes) => {
      announced += bytes;
    },
    settle: (bytes) => {
      settled += bytes;
    },
  };
}
