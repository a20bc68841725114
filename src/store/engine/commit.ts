/** Commits a transaction, and retries while it conflicts with another one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import type { ShredKeys } from '../keys/shred-keys.ts';
import type { Tables } from '../schema/tables.ts';
import type { DatabaseEngine } from './engine.ts';
import type { TransactionRunner } from './group-commit.ts';
import { isPostgres } from './prepared.ts';

/** Below the request timeout of 20 s. */
const RETRY_MS = 10_000;
const MAX_PAUSE_MS = 100;

export function createCommit(
  records: Kysely<Tables>,
  mayRetry: DatabaseEngine['mayRetry'],
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
