/** Tries a write now and then, and remembers whether it worked, so that a readiness probe need not write itself. */
import type { Clock } from '#platform/clock.ts';
import type { Records } from './tables.ts';

export interface WriteCheck {
  /** Rejects if nothing can be written. */
  readonly tryWrite: () => Promise<void>;
  /** Tries again only if the last try failed; a further failure is not news. */
  readonly retryFailedWrite: () => Promise<void>;
  /** Throws if the last try failed. Nothing is known before the first. */
  readonly requireWritten: () => void;
}

/** `write` waits for other writers: a busy database is no full disk. */
export function createWriteCheck(
  write: (work: (records: Records) => Promise<void>) => Promise<void>,
  clock: Clock,
): WriteCheck {
  let failure: { readonly cause: unknown } | null = null;
  const tryWrite = async () => {
    try {
      await write((records) => writeRow(records, clock.now()));
      failure = null;
    } catch (cause) {
      failure = { cause };
      throw cause;
    }
  };
  return {
    tryWrite,
    retryFailedWrite: async () => {
      if (failure) await tryWrite().catch(() => undefined);
    },
    requireWritten: () => {
      if (failure) throw new Error('the last write failed', failure);
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
