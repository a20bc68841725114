/** Commits transactions: on SQLite, all that wait share one commit, and thus one sync to the disk. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { WaitingLine } from '#platform/waiting-line.ts';
import type { ShredKeys } from '../keys/shred-keys.ts';
import type { Tables } from '../schema/tables.ts';
import { isPostgres } from './prepared.ts';

type Work<Result> = (records: Transaction<Tables>) => Promise<Result>;
/**
 * How two transactions are kept apart on PostgreSQL (docs/transactions.md): by serializable isolation, or else by an
 * index, a condition or a lock that the transaction relies on. `one statement` is sent without a transaction around it.
 * On SQLite, transactions run one after the other.
 */
type Isolation = 'serializable' | 'read committed' | 'one statement';
export type TransactionRunner = <Result>(work: Work<Result>, isolation?: Isolation) => Promise<Result>;

interface Member {
  readonly work: Work<unknown>;
  readonly isolation: Isolation | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

export interface GroupCommitOptions {
  readonly commit: TransactionRunner;
  readonly shredKeys: Pick<ShredKeys, 'countCreated' | 'discardCreated'>;
  /** How many transactions share a commit. */
  readonly maxMembers: number;
  /** How many commits run at the same time. */
  readonly maxCommits: number;
  /** The bytes of content that the open transaction has received so far. */
  readonly countBytes: () => number;
}

/** With SQLite a group is one turn of the event loop; after this time the others wait for the next group. */
const MAX_GROUP_MS = 15;
/** Limits the commit itself, which follows that time and takes longer the more it has to write. */
const MAX_GROUP_BYTES = 1024 * 1024;

const SAVE = CompiledQuery.raw('savepoint member');
const UNDO = CompiledQuery.raw('rollback to member');
const RELEASE = CompiledQuery.raw('release member');

export function createGroupCommit(options: GroupCommitOptions) {
  const { maxMembers, maxCommits } = options;
  const line = new WaitingLine<Member>();
  let running = 0;

  async function serveLine(): Promise<void> {
    let group: readonly Member[] = [];
    while (group.length > 0 || !line.isEmpty) {
      if (group.length === 0) group = line.take(maxMembers);
      group = group.slice(await commitGroup(options, group));
      await nextTurn();
    }
    running -= 1;
  }

  return {
    /** Callers get their results only after the commit. If one member fails, only that member is rolled back. */
    createRunner:
      (maxWaitMs: number): TransactionRunner =>
      <Result>(work: Work<Result>, isolation?: Isolation) =>
        new Promise<Result>((resolve, reject) => {
          line.join({ work, isolation, resolve: resolve as Member['resolve'], reject }, maxWaitMs);
          if (running === maxCommits) return;
          running += 1;
          // After this turn of the event loop, so that its other requests can join the group.
          setImmediate(() => void serveLine());
        }),
    /** How long the first in the line has waited. */
    readWaitMs: () => line.waitMs,
  };
}

/** Returns how many members of the group have a result or an error. */
async function commitGroup(options: GroupCommitOptions, group: readonly Member[]): Promise<number> {
  if (group.length === 0) return 0;
  try {
    const outcomes = await commitMembers(options, group);
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = group[index]!;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
    return outcomes.length;
  } catch (error) {
    for (const { reject } of group) reject(error);
    return group.length;
  }
}

/** Savepoints cost time and most members succeed: only if one fails do all run again, each in its own savepoint. */
async function commitMembers(options: GroupCommitOptions, group: readonly Member[]): Promise<Outcome[]> {
  const { commit } = options;
  let hasFailedMember = false;
  const markFailure = (error: unknown): never => {
    hasFailedMember = true;
    throw error;
  };
  try {
    return await commit(async (records) => {
      hasFailedMember = false;
      return await runMembers(options, group, async (work) => ({
        value: await work(records).catch(markFailure),
      }));
    }, group[0]?.isolation);
  } catch (error) {
    // A database that rejects the commit would reject another one, too.
    if (group.length === 1 || !hasFailedMember) throw error;
    return await commit((records) => runMembers(options, group, (work) => runAlone(options, records, work)));
  }
}

/** Runs as many as fit in a short turn, and at least one. */
async function runMembers(
  { countBytes }: GroupCommitOptions,
  group: readonly Member[],
  run: (work: Work<unknown>) => Promise<Outcome>,
): Promise<Outcome[]> {
  const start = performance.now();
  const outcomes: Outcome[] = [];
  for (const { work } of group) {
    outcomes.push(await run(work));
    if (performance.now() - start > MAX_GROUP_MS || countBytes() >= MAX_GROUP_BYTES) break;
  }
  return outcomes;
}

async function runAlone(
  { shredKeys }: GroupCommitOptions,
  records: Kysely<Tables>,
  work: Work<unknown>,
): Promise<Outcome> {
  const created = shredKeys.countCreated();
  await records.executeQuery(SAVE);
  try {
    return { value: await work(records as Transaction<Tables>) };
  } catch (error) {
    shredKeys.discardCreated(created);
    await records.executeQuery(UNDO).catch(() => {
      // The database has already rolled back the whole transaction, as it does on a full disk: the group fails.
      throw error;
    });
    return { error };
  } finally {
    await records.executeQuery(RELEASE).catch(() => {});
  }
}

/** Below the request timeout of 20 s. */
const RETRY_MS = 10_000;
const MAX_PAUSE_MS = 100;

/** Commits a transaction, and retries while it conflicts with another one. */
export function createCommit(
  records: Kysely<Tables>,
  mayRetry: (error: unknown) => boolean,
  shredKeys?: ShredKeys,
): TransactionRunner {
  return async (work, isolation = 'serializable') => {
    const isAlone = isolation === 'one statement';
    const deadline = performance.now() + RETRY_MS;
    for (let pause = 2; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        if (isAlone && isPostgres(records)) return await work(records as Transaction<Tables>);
        const transaction = records.transaction().setIsolationLevel(isAlone ? 'serializable' : isolation);
        return await transaction.execute(async (locked) => {
          shredKeys?.begin();
          const result = await work(locked);
          await shredKeys?.sync(locked);
          return result;
        });
      } catch (error) {
        if (!mayRetry(error) || performance.now() > deadline) throw error;
        await sleep(Math.random() * pause);
      }
    }
  };
}
