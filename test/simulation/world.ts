/** The parts of a simulated world for commands and invariants; `office.ts` creates it. */
import type { createPeriodicTasks } from '#periodic-tasks.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { DeskSessionRecord } from '#store/desk-sessions.ts';
import type { DeskKey, SignedInDesk } from '#test/desk-api/desk-client.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { TEST_MASTER_KEY } from '#test/store/engines.ts';
import type { TestApp } from '#test/test-app.ts';
import type { ShopSandbox } from '#test/test-shop.ts';
import type { EventReceiver } from '#test/webhooks/receiver.ts';
import type { SimulatedDisk } from './disk.ts';
import { type Agent, createModel, type Part, type Purchase, type SimulatedCase } from './model.ts';
import type { Options } from './options.ts';
import type { Templates } from './sealed-parts.ts';

export interface Instance extends TestApp {
  readonly number: number;
  readonly tasks: ReturnType<typeof createPeriodicTasks>;
  /** The clock and the time that had really passed, when the clock was last trusted for a day. */
  anchor: { readonly clock: number; readonly passed: number } | null;
  /** How much of the log has been checked. */
  readLogLength: number;
  readonly close: () => Promise<void>;
}

/** An event as the provider sends it. */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly object: {
      readonly id: string;
      readonly payment_intent?: string | null;
      readonly payment_status?: string;
    };
  };
}

interface Letter {
  readonly id: string;
  readonly to: string;
  readonly text: string;
}

/** The state of the office at the time of a backup. */
export interface Backup {
  /** The file with the records. */
  readonly path: string;
  readonly cases: ReadonlyMap<SimulatedCase, SimulatedCase>;
  readonly purchases: ReadonlyMap<Purchase, Purchase>;
}

/** The parts of a world that exist before its story begins. */
interface WorldParts {
  readonly options: Options;
  readonly templates: Templates;
  readonly disk: SimulatedDisk;
  readonly sandbox: ShopSandbox;
  readonly receiver: EventReceiver;
  readonly deskKey: DeskKey;
}

/** What a story changes. */
export function createWorldState(dataDir: string) {
  return {
    model: createModel(),
    faults: {
      isProviderAway: false,
      isMailAway: false,
      isDiskFull: false,
      isReceiverAway: false,
      /** The difference of the clock from the time. */
      clockOffset: 0,
      /** A crash may have lost or repeated something: an e-mail may be sent again with the same id. */
      hasCrashed: false,
    },
    letters: [] as Letter[],
    instances: [] as Instance[],
    dataDir,
    masterKey: TEST_MASTER_KEY,
    /** The number of commands so far. */
    steps: 0,
    /** True once something has gone wrong outside, which the office may report in its log. */
    hasTrouble: false,
    /** The time that has really passed, whatever the clock shows. */
    passed: 0,
    /** The last time that the office has stored, from a clock that it trusted. */
    noted: null as number | null,
    /** Events of the provider, by whether they have been delivered yet. */
    events: {
      waiting: [] as ProviderEvent[],
      known: new Set<string>(),
      delivered: [] as ProviderEvent[],
    },
    /** Backups with the current master key, the oldest first. */
    backups: [] as readonly Backup[],
    backupFolder: null as string | null,
    desk: null as DeskVisit | null,
    /** The instance that the desk uses. */
    deskAt: null as Instance | null,
    /** Cases that the last commands concerned; the invariants check these first. */
    touched: new Set<SimulatedCase>(),
    /** Purged cases that an instance has since reported as not found. */
    seenGone: new Set<SimulatedCase>(),
    /** Cases that commands have concerned since the last check after a power cut, or since the last full check. */
    changed: new Set<SimulatedCase>(),
    /** True after a restart from the disk after a power cut: changed cases and the desk's lists must be checked. */
    isDiskLookDue: false,
    /** True after every stored byte was rewritten. */
    isWholeLookDue: false,
    wholeLooks: 0,
    /** True if something was purged since the last search of the files. */
    isSearchDue: false,
    /** Purged parts that the last search found in no file. */
    searched: new Set<Part>(),
    /** Plain text that was sent, and must not be stored anywhere. */
    canaries: [] as string[],
  };
}

interface DeskVisit {
  readonly signedIn: SignedInDesk;
  readonly until: number;
  readonly row: DeskSessionRecord;
  /** How often the session was extended since the sign-in. */
  readonly extensions: number;
}

type WorldState = ReturnType<typeof createWorldState>;

export type Faults = WorldState['faults'];

export interface World extends WorldParts, WorldState {
  readonly now: () => number;
  readonly moveClock: (ms: number) => void;
  /** Sends a request, and repeats it after a planned crash during it. */
  readonly send: (instance: Instance, path: string, ask?: Ask) => Promise<HttpsResponse>;
  readonly sendAsAgent: (
    instance: Instance,
    agent: Agent,
    path: string,
    ask?: AgentAsk,
  ) => Promise<HttpsResponse>;
  readonly sendAsDesk: (instance: Instance, path: string, ask?: DeskAsk) => Promise<HttpsResponse>;
  readonly sweep: (instance: Instance) => Promise<void>;
  /** Stops all instances, and starts them again from the disk. */
  readonly restart: (how: 'stop' | 'power cut', meanwhile?: () => Promise<void>) => Promise<void>;
  /** Restarts one instance while the others continue. */
  readonly restartOne: (number: number) => Promise<void>;
  /** Returns the environment of an instance, or of a command beside it. */
  readonly buildEnv: () => Promise<Record<string, string>>;
  readonly setFaults: () => Promise<void>;
  /** Creates an empty data folder with the keys of this office. */
  readonly createFolder: () => Promise<string>;
}

export type Ask = Parameters<HttpsClient>[1];

export interface AgentAsk {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface DeskAsk {
  readonly method?: string;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
}

/** Returns whether the office may delete by date: its clock has advanced with the time, from near the last seen one. */
export function believeClock({ noted, now, passed }: World, instance: Instance): boolean {
  const { anchor } = instance;
  const clock = now();
  const isBehind = noted !== null && clock < noted - HOUR_MS;
  const isAhead = noted !== null && clock > noted + DAY_MS;
  const jumped = anchor === null ? 0 : Math.abs(clock - anchor.clock - (passed - anchor.passed));
  if (isBehind || jumped > HOUR_MS || (anchor === null && isAhead)) return false;
  if (anchor === null || passed - anchor.passed > DAY_MS) instance.anchor = { clock, passed };
  return true;
}
