/** Runs the handler of each due outbox entry, retries after failures, and finally gives up. */
import type { Clock } from '#platform/clock.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { generateId } from '#platform/ids.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import {
  claimOutboxEntries,
  completeOutboxEntry,
  discardOutboxEntry,
  hasDueOutboxEntries,
  type OutboxEntry,
  postponeOutboxEntry,
} from './outbox.ts';
import type { Store } from './store.ts';

/** Must be idempotent: it may run twice for one entry. */
export type OutboxHandler = (payload: unknown) => Promise<void>;

interface WorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: Readonly<Record<string, OutboxHandler>>;
}

const LEASE_MS = MINUTE_MS;
const BATCH = 10;
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = HOUR_MS;

/** Returns a function that handles everything that is due now. */
export function createOutboxWorker(options: WorkerOptions): () => Promise<void> {
  const worker = generateId();
  const topics = Object.keys(options.handlers);
  const { store, clock } = options;
  return async () => {
    // Checked without a lock first, because the outbox is usually empty.
    while (await hasDueOutboxEntries(store.records, topics, clock.now())) {
      const entries = await store.transaction((records) =>
        claimOutboxEntries(records, { topics, worker, now: clock.now(), leaseMs: LEASE_MS, limit: BATCH }),
      );
      if (entries.length === 0) return;
      await Promise.all(entries.map((entry) => processEntry(options, worker, entry)));
    }
  };
}

async function processEntry(options: WorkerOptions, worker: string, entry: OutboxEntry): Promise<void> {
  const { store, handlers } = options;
  try {
    await handlers[entry.topic]?.(JSON.parse(entry.payload));
  } catch (error) {
    await postponeFailedEntry(options, worker, entry, error);
    return;
  }
  await store.transaction((records) => completeOutboxEntry(records, entry.id, worker));
}

async function postponeFailedEntry(
  { store, clock, log }: WorkerOptions,
  worker: string,
  { id, topic, attempts }: OutboxEntry,
  error: unknown,
): Promise<void> {
  log.event('outbox_failed', { topic, attempt: attempts, ...toErrorTrace(error) });
  const now = clock.now();
  if (attempts >= MAX_ATTEMPTS) {
    log.event('outbox_given_up', { topic, attempt: attempts });
    return await store.transaction((records) => discardOutboxEntry(records, { id, worker, now }));
  }
  const until = now + Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
  await store.transaction((records) => postponeOutboxEntry(records, { id, worker, until }));
}
