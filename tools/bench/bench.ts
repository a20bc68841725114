/** What a bench is given, and how one is run: whatever it started ends with it, also when it fails. */
import { type CleanupScope, runInScope } from '#test/cleanup.ts';
import { createOfficeCopier, type OfficeCopier } from './filled-office.ts';
import { type BenchRow, createFailedRow } from './report.ts';

export interface BenchContext extends CleanupScope {
  readonly rounds: number;
  /** How many cases the largest store has. */
  readonly size: number;
  readonly copyFilledOffice: OfficeCopier;
  /** Says what is going on. */
  readonly report: (text: string) => void;
}

export type Bench = (context: BenchContext) => Promise<BenchRow[]>;

export type BenchOptions = Pick<BenchContext, 'rounds' | 'size' | 'report'>;

/** Runs benches one after the other; stops at once when `stopped` says so, and cleans up first. */
export async function runBenches(
  benches: Iterable<readonly [name: string, bench: Bench]>,
  options: BenchOptions,
  stopped: AbortSignal,
): Promise<BenchRow[]> {
  return await runInScope(async (scope) => {
    let { report } = options;
    const copyFilledOffice = createOfficeCopier(scope, (text) => report(text));
    const rows: BenchRow[] = [];
    for (const [name, bench] of benches) {
      report = (text) => options.report(`${name}: ${text}`);
      report('begins');
      const context = { ...options, report, copyFilledOffice };
      const running = runInScope((t) =>
        raceAbort(bench({ ...context, after: (clean) => t.after(clean) }), stopped),
      );
      rows.push(...(await running.catch((error: unknown) => [createFailedRow(name, error)])));
      stopped.throwIfAborted();
    }
    return rows;
  });
}

async function raceAbort<Result>(work: Promise<Result>, stopped: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new Error('stopped'));
  stopped.addEventListener('abort', onAbort, { once: true });
  // What it starts after this ends with the process.
  work.catch(() => {});
  try {
    stopped.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    stopped.removeEventListener('abort', onAbort);
  }
}
