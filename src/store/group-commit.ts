/** Takes transactions out of the line: on SQLite all that wait share one commit, and so one sync to the disk. */
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { WaitingLine } from '#platform/waiting-line.ts';
import type { ShredKeys } from './shred-keys.ts';
import type { Tables } from './tables.ts';

type Work<Result> = (records: Transaction<Tables>) => Promise<Result>;
export type TransactionRunner = <Result>(work: Work<Result>) => Promise<Result>;

interface Member {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface GroupCommitOptions {
  readonly commit: TransactionRunner;
  readonly shredKeys: Pick<ShredKeys, 'countCreated' | 'discardCreated'>;
  /** How many transactions share a commit. */
  readonly maxMembers: number;
  /** How many commits run at the same time. */
  readonly maxCommits: number;
}

export interface GroupCommit {
  /** Callers get their results only after the commit. If one member fails, only that member is rolled back. */
  readonly createRunner: (maxWaitMs: number) => TransactionRunner;
  /** How long the first in the line has waited. */
  readonly readWaitMs: () => number;
}

const SAVE = CompiledQuery.raw('savepoint member');
const UNDO = CompiledQuery.raw('rollback to member');
const RELEASE = CompiledQuery.raw('release member');

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { maxMembers, maxCommits } = options;
  const line = new WaitingLine<Member>();
  let running = 0;

  async function serveLine(): Promise<void> {
    while (!line.isEmpty) await commitGroup(options, line.take(maxMembers));
    running -= 1;
  }

  return {
    createRunner:
      (maxWaitMs) =>
      <Result>(work: Work<Result>) =>
        new Promise<Result>((resolve, reject) => {
          line.join({ work, resolve: resolve as Member['resolve'], reject }, maxWaitMs);
          if (running === maxCommits) return;
          running += 1;
          // After this turn of the event loop, so that its other requests can join the group.
          setImmediate(() => void serveLine());
        }),
    readWaitMs: () => line.waitMs,
  };
}

async function commitGroup(options: GroupCommitOptions, group: readonly Member[]): Promise<void> {
  if (group.length === 0) return;
  try {
    const outcomes = await commitMembers(options, group);
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index]!;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Savepoints cost time and most members succeed: only if one fails do all run again, each within its own. */
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
      const outcomes: Outcome[] = [];
      for (const { work } of group) outcomes.push({ value: await work(records).catch(markFailure) });
      return outcomes;
    });
  } catch (error) {
    // A database that does not take the commit would not take another one either.
    if (group.length === 1 || !hasFailedMember) throw error;
    return await commit(async (records) => {
      const outcomes: Outcome[] = [];
      for (const { work } of group) outcomes.push(await runAlone(options, records, work));
      return outcomes;
    });
  }
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
