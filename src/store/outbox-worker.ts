/** Does the work of the outbox: each entry by the handler of its topic, again after a failure, given up at last. */
import type { Clock } from '#platform/clock.ts';
import { generateId } from '#platform/ids.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import {
  claimOutboxEntries,
  completeOutboxEntry,
  hasDueOutboxEntries,
  type OutboxEntry,
  postponeOutboxEntry,
} from './outbox.ts';
import type { Store } from './store.ts';

/** May run twice for one entry, so it must be harmless the second time. */
export type OutboxHandler = (payload: unknown) => Promise<void>;

interface WorkerParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: Readonly<Record<string, OutboxHandler>>;
}

const LEASE_MS = 60_000;
const BATCH = 10;
const MOST_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** One look: everything that is due now. */
export function createOutboxWorker(parts: WorkerParts): () => Promise<void> {
  const worker = generateId();
  const topics = Object.keys(parts.handlers);
  const { store, clock } = parts;
  return async () => {
    // Asked without a lock first, since mostly there is nothing.
    while (await hasDueOutboxEntries(store.records, topics, clock.now())) {
      const entries = await store.transaction((records) =>
        claimOutboxEntries(records, { topics, worker, now: clock.now(), leaseMs: LEASE_MS, limit: BATCH }),
      );
      if (entries.length === 0) return;
      await Promise.all(entries.map((entry) => processEntry(parts, worker, entry)));
    }
  };
}

async function processEntry(parts: WorkerParts, worker: string, entry: OutboxEntry): Promise<void> {
  const { store, handlers } = parts;
  try {
    await handlers[entry.topic]?.(JSON.parse(entry.payload));
  } catch (error) {
    await postponeFailedEntry(parts, worker, entry, error);
    return;
  }
  await store.transaction((records) => completeOutboxEntry(records, entry.id, worker));
}

async function postponeFailedEntry(
  { store, clock, log }: WorkerParts,
  worker: string,
  { id, topic, attempts }: OutboxEntry,
  error: unknown,
): Promise<void> {
  log.event('outbox_failed', { topic, attempt: attempts, ...toErrorTrace(error) });
  const last = attempts >= MOST_ATTEMPTS;
  if (last) log.event('outbox_given_up', { topic, attempt: attempts });
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  const until = last ? null : clock.now() + pause;
  await store.transaction((records) => postponeOutboxEntry(records, { id, worker, until }));
}
