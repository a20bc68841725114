/** Changes many rows in small transactions, with turns of the event loop in between. */
import { repeatInTurns } from '#platform/turns.ts';
import type { Records } from '../schema/tables.ts';
import type { TransactionRunner } from './group-commit.ts';

/** A transaction of this many rows takes a few milliseconds, although deleted data is overwritten. */
export const BATCH_ROWS = 100;

/** The work changes up to `limit` rows and returns how many; it is repeated until it finds fewer. */
export async function runInBatches(
  store: { readonly transaction: TransactionRunner },
  work: (records: Records, limit: number) => Promise<number>,
): Promise<void> {
  await repeatInTurns(
    async () => (await store.transaction((records) => work(records, BATCH_ROWS))) === BATCH_ROWS,
  );
}

/** Does the work for each id, in small transactions because the service waits while one runs. */
export async function changeEach<Result>(
  store: { readonly transaction: TransactionRunner },
  ids: readonly string[],
  work: (records: Records, id: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < ids.length; start += BATCH_ROWS) {
    const part = ids.slice(start, start + BATCH_ROWS);
    const done = await store.transaction((records) => Array.fromAsync(part, (id) => work(records, id)));
    results.push(...done);
  }
  return results;
}
