/** A disk that can be full, and that loses unsynced data at a power cut, like that of `test/faults/kill-at-step.ts`. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { DiskSpace } from '#store/limits/storage-caps.ts';
import type { CleanupScope } from '#test/cleanup.ts';

const GIB = 1024 ** 3;
/** SQLite's number for `full`: with a lower one, a commit is synced only later. */
const SYNCHRONOUS_FULL = 2;

/** Bytes that were written in place, and may or may not be on the disk. */
interface UnsyncedWrite {
  readonly path: string;
  readonly offset: number;
  readonly before: Buffer;
  readonly after: Buffer;
}

interface PlannedCrash {
  stepsLeft: number;
  /** From 0 to 1: the share of unsynced data that reaches the disk. */
  readonly share: number;
}

export interface SimulatedDisk {
  readonly measure: (isFull: boolean) => DiskSpace;
  /** Cuts the power after this many further steps on the disk, in the middle of the next request. */
  readonly planCrash: (steps: number, share: number) => void;
  readonly isCrashPlanned: () => boolean;
  /** True once that step is reached: nothing that the office writes from then on reaches the disk. */
  readonly isPowerOff: () => boolean;
  /** Keeps the power on during preparations. */
  readonly keepPower: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Returns a folder with the content of the disk after a power cut, now or at the planned step. */
  readonly cutPower: (dataDir: string) => string;
}

interface DiskState {
  dataDir: string;
  crash: PlannedCrash | null;
  frozen: string | null;
  unsynced: UnsyncedWrite[];
  isLogUnsynced: boolean;
  readonly folders: string[];
}

let state: DiskState | null = null;
let isHooked = false;

export function createDisk(t: CleanupScope): SimulatedDisk {
  if (!isHooked) hookDisk();
  isHooked = true;
  const own: DiskState = {
    dataDir: '',
    crash: null,
    frozen: null,
    unsynced: [],
    isLogUnsynced: false,
    folders: [],
  };
  state = own;
  t.after(() => {
    state = null;
    for (const folder of own.folders) fs.rmSync(folder, { recursive: true, force: true });
  });
  return {
    measure: (isFull) => ({ total: 100 * GIB, free: isFull ? 0 : 50 * GIB, reusable: 0 }),
    planCrash: (stepsLeft, share) => {
      own.crash = { stepsLeft, share };
    },
    isCrashPlanned: () => own.crash !== null,
    isPowerOff: () => own.frozen !== null,
    keepPower: async (work) => {
      const { crash } = own;
      own.crash = null;
      return await work().finally(() => {
        own.crash = crash;
      });
    },
    cutPower: (dataDir) => {
      const folder = own.frozen ?? freezeDisk(own, dataDir);
      own.crash = null;
      own.frozen = null;
      own.unsynced = [];
      return folder;
    },
  };
}

/** Sets the program's current data folder, which a restart may change. */
export function useFolder(dataDir: string): void {
  if (state) state.dataDir = dataDir;
}

function countStep(): void {
  if (!state?.crash || state.frozen !== null) return;
  if (state.crash.stepsLeft === 0) state.frozen = freezeDisk(state, state.dataDir);
  state.crash.stepsLeft -= 1;
}

function freezeDisk(own: DiskState, dataDir: string): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'inquiry-office-'));
  own.folders.push(folder);
  // Omits the shared memory of the log, which a power cut loses.
  fs.cpSync(dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('-shm') });
  const share = own.crash?.share ?? 0;
  for (const { path, offset, before, after } of own.unsynced.toReversed()) {
    const arrived = Math.floor(after.length * share);
    const file = fs.openSync(join(folder, basename(path)), 'r+');
    writeBytes(file, before.subarray(arrived), 0, before.length - arrived, offset + arrived);
    fs.closeSync(file);
  }
  const log = join(folder, 'inquiry-office.db-wal');
  if (own.isLogUnsynced && fs.existsSync(log))
    fs.truncateSync(log, Math.floor(fs.statSync(log).size * share));
  return folder;
}

/** The original function, before it is watched. */
const { writeSync: writeBytes } = fs;
const someHandle = await fs.promises.open('package.json');
await someHandle.close();

function hookDisk(): void {
  Object.assign(fs, {
    writeSync: (fd: number, bytes: Buffer, offset: number, length: number, position: number) => {
      const path = findPath(fd);
      if (state && path.endsWith('.keys')) {
        countStep();
        const before = Buffer.alloc(length);
        fs.readSync(fd, before, 0, length, position);
        const after = Buffer.from(bytes.subarray(offset, offset + length));
        state.unsynced.push({ path, offset: position, before, after });
      }
      return writeBytes(fd, bytes, offset, length, position);
    },
  });
  const handle = Object.getPrototypeOf(someHandle) as Record<
    'datasync' | 'sync',
    (this: { fd: number }) => Promise<void>
  >;
  for (const name of ['datasync', 'sync'] as const) {
    const original = handle[name];
    handle[name] = async function (this: { fd: number }): Promise<void> {
      const path = findPath(this.fd);
      countStep();
      await original.call(this);
      if (state) state.unsynced = state.unsynced.filter((each) => each.path !== path);
    };
  }
  const levels = new WeakMap<DatabaseSync, StatementSync>();
  const exec = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'exec')?.value as (
    sql: string,
  ) => void;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, statement: string) {
    if (statement !== 'commit') return exec.call(this, statement);
    countStep();
    exec.call(this, statement);
    const level = levels.get(this) ?? this.prepare('pragma synchronous');
    levels.set(this, level);
    if (state) state.isLogUnsynced = Number(Object.values(level.get() ?? {})[0]) < SYNCHRONOUS_FULL;
  };
  syncBuiltinESMExports();
}

function findPath(fd: number): string {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
