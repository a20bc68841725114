/** Tries a write now and then, and remembers when one last worked, so that a readiness probe need not write itself. */
import type { Clock } from '#platform/clock.ts';
import { SECOND_MS } from '#platform/durations.ts';
import type { Records } from './tables.ts';

/** A task that hangs, or runs no more, tries no write that could fail. */
const MAX_SWEEPS = 3;
/** On a busy machine a sweep of a second is late now and then. */
const MIN_STALE_MS = 15 * SECOND_MS;

export interface LastWrite {
  /** False if the last try failed, or if none has worked for three sweeps. */
  readonly ok: boolean;
  /** Since the last write that worked; before the first, since the store was opened. */
  readonly ageMs: number;
  /** Why the last try failed. */
  readonly failure: unknown;
}

export interface WriteCheck {
  /** Rejects if nothing can be written. */
  readonly tryWrite: () => Promise<void>;
  /** Tries again only if the last try failed; a further failure is not news. */
  readonly retryFailedWrite: () => Promise<void>;
  readonly readLastWrite: () => LastWrite;
}

interface WriteCheckOptions {
  /** Waits for other writers: a busy database is no full disk. */
  readonly write: (work: (records: Records) => Promise<void>) => Promise<void>;
  readonly clock: Clock;
  readonly sweepSeconds: number;
}

export function createWriteCheck({ write, clock, sweepSeconds }: WriteCheckOptions): WriteCheck {
  const staleMs = Math.max(MAX_SWEEPS * sweepSeconds * SECOND_MS, MIN_STALE_MS);
  // Not by the clock, which may jump.
  let workedAt = performance.now();
  let failed: { readonly failure: unknown } | null = null;
  const tryWrite = async () => {
    try {
      await write((records) => writeRow(records, clock.now()));
      workedAt = performance.now();
      failed = null;
    } catch (failure) {
      failed = { failure };
      throw failure;
    }
  };
  return {
    tryWrite,
    retryFailedWrite: async () => {
      if (failed) await tryWrite().catch(() => undefined);
    },
    readLastWrite: () => {
      const ageMs = performance.now() - workedAt;
      return { ok: failed === null && ageMs < staleMs, ageMs, failure: failed?.failure };
    },
  };
}

async function writeRow(records: Records, now: number): Promise<void> {
  await records
    .insertInto('write_checks')
    .values({ id: 1, written_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ written_at: now }))
    .execute();
}
