/** Combines concurrent transactions into one commit, and so one sync to the disk. */
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

type Work<Result> = (records: Transaction<Tables>) => Promise<Result>;
export type TransactionRunner = <Result>(work: Work<Result>) => Promise<Result>;

interface Member {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

const MAX_MEMBERS = 64;

const SAVE = CompiledQuery.raw('savepoint member');
const UNDO = CompiledQuery.raw('rollback to member');
const RELEASE = CompiledQuery.raw('release member');

/** Callers get their results only after the commit. If one member fails, only that member is rolled back. */
export function createGroupCommit(commit: TransactionRunner): TransactionRunner {
  let waiting: Member[] = [];
  let running = false;

  async function drainWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, MAX_MEMBERS);
      waiting = waiting.slice(MAX_MEMBERS);
      await commitGroup(commit, group);
    }
    running = false;
  }

  return <Result>(work: Work<Result>) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Member['resolve'], reject });
      if (running) return;
      running = true;
      // After this turn of the event loop, so that its other requests can join the group.
      setImmediate(() => void drainWaiting());
    });
}

async function commitGroup(commit: TransactionRunner, group: readonly Member[]): Promise<void> {
  try {
    const outcomes = await commit((records) => runMembers(records, group));
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index]!;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

async function runMembers(records: Transaction<Tables>, group: readonly Member[]): Promise<Outcome[]> {
  const [only, ...others] = group;
  if (only && others.length === 0) return [{ value: await only.work(records) }];
  const outcomes: Outcome[] = [];
  for (const { work } of group) outcomes.push(await runMember(records, work));
  return outcomes;
}

async function runMember(records: Kysely<Tables>, work: Work<unknown>): Promise<Outcome> {
  await records.executeQuery(SAVE);
  try {
    return { value: await work(records as Transaction<Tables>) };
  } catch (error) {
    await records.executeQuery(UNDO).catch(() => {
      // The database has already rolled back the whole transaction, as it does on a full disk: the group fails.
      throw error;
    });
    return { error };
  } finally {
    await records.executeQuery(RELEASE).catch(() => {});
  }
}
