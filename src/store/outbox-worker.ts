/** Runs the handler of each due outbox entry, retries after failures for three days, and finally gives up. */
import type { Clock } from '#platform/clock.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#platform/durations.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import { MailFault } from '#platform/mail/mail-fault.ts';
import { SENDING_MS } from '#platform/mail/smtp.ts';
import { generateId } from '#platform/text/ids.ts';
import {
  claimOutboxEntries,
  completeOutboxEntry,
  discardOutboxEntry,
  type OutboxEntry,
  postponeOutboxEntry,
} from './outbox.ts';
import type { Store } from './store.ts';

/**
 * `id` is the same in every attempt. A handler may run twice for one entry, so it must be as idempotent as possible.
 * If its work has become useless, such as sending an expired code, it does nothing and the entry is done.
 */
export type OutboxHandler = (payload: unknown, id: string) => Promise<void>;

interface WorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: Readonly<Record<string, OutboxHandler>>;
}

/** Longer than any attempt takes, so that no other worker begins the same one. */
const LEASE_MS = 2 * SENDING_MS;
const BATCH = 10;
/** An entry is given up only after this time and this many attempts, so that a service that was off tries again. */
export const RETRY_MS = 3 * DAY_MS;
const MIN_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;

/** Returns a function that handles everything that is due now, and counts what failed. */
export function createOutboxWorker(options: WorkerOptions): () => Promise<number> {
  const worker = generateId();
  const topics = Object.keys(options.handlers);
  const { store, clock } = options;
  return async () => {
    let failed = 0;
    for (;;) {
      const entries = await store.transaction((records) =>
        claimOutboxEntries(records, { topics, worker, now: clock.now(), leaseMs: LEASE_MS, limit: BATCH }),
      );
      if (entries.length === 0) return failed;
      const handled = await Promise.all(entries.map((entry) => processEntry(options, worker, entry)));
      failed += handled.filter((isDone) => !isDone).length;
    }
  };
}

/** Returns false if the entry has to be tried again, or was given up. */
async function processEntry(options: WorkerOptions, worker: string, entry: OutboxEntry): Promise<boolean> {
  const { store, handlers } = options;
  try {
    await handlers[entry.topic]?.(JSON.parse(entry.payload), entry.id);
  } catch (error) {
    await postponeFailedEntry(options, worker, entry, error);
    return false;
  }
  await store.transaction((records) => completeOutboxEntry(records, entry.id, worker));
  return true;
}

async function postponeFailedEntry(
  { store, clock, log }: WorkerOptions,
  worker: string,
  { id, topic, attempts, waits_since: since }: OutboxEntry,
  error: unknown,
): Promise<void> {
  const now = clock.now();
  const reason = describeReason(error);
  log.event('outbox_failed', { topic, attempt: attempts, reason, ...toErrorTrace(error) });
  if (attempts >= MIN_ATTEMPTS && now - since >= RETRY_MS) {
    log.event('outbox_given_up', { topic, attempt: attempts, reason });
    return await store.transaction((records) => discardOutboxEntry(records, { id, worker, reason, now }));
  }
  const until = now + Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
  await store.transaction((records) => postponeOutboxEntry(records, { id, worker, reason, until }));
}

/** The messages of other errors may quote what a person wrote. */
function describeReason(error: unknown): string {
  if (error instanceof MailFault) return error.message;
  return 'An unexpected fault; the log says where (outbox_failed).';
}
