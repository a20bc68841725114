/** What the world of a simulation consists of, as commands and invariants see it; `office.ts` makes it. */
import type { createPeriodicTasks } from '#periodic-tasks.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { DeskSessionRecord } from '#store/clients/desk-sessions.ts';
import type { DeskKey, SignedInDesk } from '#test/desk-api/desk-client.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import type { TestApp } from '#test/test-app.ts';
import type { ShopSandbox } from '#test/test-shop.ts';
import type { EventReceiver } from '#test/webhooks/receiver.ts';
import type { SimulatedDisk } from './disk.ts';
import type { Agent, Model, Part, Purchase, SimulatedCase } from './model.ts';
import type { Options } from './options.ts';
import type { Templates } from './sealed-parts.ts';

export interface Instance extends TestApp {
  readonly number: number;
  readonly tasks: ReturnType<typeof createPeriodicTasks>;
  /** The clock, and the time that had really passed, when the clock was last believed for a day. */
  anchor: { readonly clock: number; readonly passed: number } | null;
  /** How much of its log was looked at. */
  readLogLength: number;
  readonly close: () => Promise<void>;
}

/** As the provider sends it. */
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

/** The office as it was when it was copied. */
export interface Backup {
  /** Of the records. */
  readonly path: string;
  readonly cases: ReadonlyMap<SimulatedCase, SimulatedCase>;
  readonly purchases: ReadonlyMap<Purchase, Purchase>;
}

export interface Faults {
  isProviderAway: boolean;
  isMailAway: boolean;
  isDiskFull: boolean;
  isReceiverAway: boolean;
  /** How far the clock is from the time. */
  clockOffset: number;
  /** Something was lost or said twice by a crash: an e-mail may come again, with the same id. */
  hasCrashed: boolean;
}

export interface World {
  readonly options: Options;
  readonly model: Model;
  readonly faults: Faults;
  readonly templates: Templates;
  readonly disk: SimulatedDisk;
  readonly sandbox: ShopSandbox;
  readonly receiver: EventReceiver;
  readonly letters: Letter[];
  readonly deskKey: DeskKey;
  instances: Instance[];
  dataDir: string;
  masterKey: string;
  /** Commands so far. */
  steps: number;
  /** Once something went wrong outside, the office may say so in its log. */
  hasTrouble: boolean;
  /** The time that has really passed, whatever the clock shows. */
  passed: number;
  /** The time that the office has noted last, of a clock that it believed. */
  noted: number | null;
  /** Events of the provider that were not delivered yet, and those that were. */
  readonly events: { waiting: ProviderEvent[]; known: Set<string>; delivered: ProviderEvent[] };
  /** With the present master key, the oldest first. */
  backups: readonly Backup[];
  backupFolder: string | null;
  desk: {
    readonly signedIn: SignedInDesk;
    readonly until: number;
    readonly row: DeskSessionRecord;
    /** Since the sign-in. */
    readonly extensions: number;
  } | null;
  /** Which instance the desk talks to. */
  deskAt: Instance | null;
  /** Cases that the last commands concerned; the invariants look at these first. */
  readonly touched: Set<SimulatedCase>;
  /** Purged cases of which an instance has said since that there is nothing. */
  readonly seenGone: Set<SimulatedCase>;
  /** Cases that commands concerned since they were last read from a disk that lost its power, or all were looked at. */
  readonly changed: Set<SimulatedCase>;
  /** What was on the disk has been read anew: what is new there is looked at, and the list of all. */
  isDiskLookDue: boolean;
  /** Every stored byte was written anew. */
  isWholeLookDue: boolean;
  wholeLooks: number;
  /** Something was purged since files were last searched for it. */
  isSearchDue: boolean;
  /** Purged parts that were in no file when it was last searched. */
  readonly searched: Set<Part>;
  /** Plain text that was sent, and must be found nowhere. */
  readonly canaries: string[];
  readonly now: () => number;
  readonly moveClock: (ms: number) => void;
  /** Sends a request, and again after a crash in the middle of it if one was planned. */
  readonly send: (instance: Instance, path: string, ask?: Ask) => Promise<HttpsResponse>;
  readonly sendAsAgent: (
    instance: Instance,
    agent: Agent,
    path: string,
    ask?: AgentAsk,
  ) => Promise<HttpsResponse>;
  readonly sendAsDesk: (instance: Instance, path: string, ask?: DeskAsk) => Promise<HttpsResponse>;
  readonly sweep: (instance: Instance) => Promise<void>;
  /** All instances end, and start again on what the disk has. */
  readonly restart: (how: 'stop' | 'power cut', meanwhile?: () => Promise<void>) => Promise<void>;
  /** While the others go on. */
  readonly restartOne: (number: number) => Promise<void>;
  /** What an instance, or a command beside it, is started with. */
  readonly buildEnv: () => Promise<Record<string, string>>;
  readonly setFaults: () => Promise<void>;
  /** An empty place for an office, with the keys of this one. */
  readonly createFolder: () => Promise<string>;
  readonly collectLetters: () => void;
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

/** Whether the office may delete by date: its clock has run on as time does, from about where it was last seen. */
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
