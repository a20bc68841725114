/** What a bench is given, and how one is run: whatever it started ends with it, also when it fails. */
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import type { BenchRow } from './report/row.ts';

export interface BenchContext extends CleanupScope {
  readonly rounds: number;
  /** How many cases the largest store has. */
  readonly size: number;
  /** Says on the terminal what is going on. */
  readonly report: (text: string) => void;
}

export type Bench = (context: BenchContext) => Promise<BenchRow[]>;

type BenchOptions = Pick<BenchContext, 'rounds' | 'size' | 'report'>;

/** Aborted by `stopped`, which lets it clean up first. */
export async function runBench(
  bench: Bench,
  options: BenchOptions,
  stopped: AbortSignal,
): Promise<BenchRow[]> {
  const endings: (() => unknown)[] = [];
  const scope = withReverseCleanup({ after: (clean) => void endings.push(clean) });
  const aborted = new Promise<never>((_, reject) => {
    stopped.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
  aborted.catch(() => {});
  try {
    stopped.throwIfAborted();
    return await Promise.race([bench({ ...options, after: (clean) => scope.after(clean) }), aborted]);
  } finally {
    for (const end of endings) await end();
  }
}
