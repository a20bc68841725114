/** Runs benches and defines their options; cleanup stops everything that a bench has started, even if it fails. */
import { once } from 'node:events';
import { type CleanupScope, runInScope } from '#test/cleanup.ts';
import { type BenchRow, createFailedRow } from './table.ts';

interface BenchOptions {
  readonly rounds: number;
  /** The number of cases in the largest store. */
  readonly size: number;
  /** Prints the progress. */
  readonly report: (text: string) => void;
}

export type BenchContext = BenchOptions & CleanupScope;
export type Bench = (context: BenchContext) => Promise<BenchRow[]>;

/** Runs one after another. A bench that fails or is stopped becomes a failed row, once it is cleaned up. */
export async function runBenches(
  benches: Iterable<readonly [name: string, bench: Bench]>,
  options: BenchOptions,
  stopped: AbortSignal,
): Promise<BenchRow[]> {
  const stop = once(stopped, 'abort').then(() => Promise.reject(new Error('stopped')));
  const rows: BenchRow[] = [];
  for (const [name, bench] of benches) {
    const report = (text: string) => options.report(`${name}: ${text}`);
    const running = runInScope((t) =>
      Promise.race([bench({ ...options, report, after: (clean) => t.after(clean) }), stop]),
    );
    rows.push(...(await running.catch((error: unknown) => [createFailedRow(name, error)])));
    if (stopped.aborted) break;
  }
  return rows;
}

/** Alternates between the works, so that other load on the machine slows all of them; round 0 is a warm-up. */
export async function measureRounds<Name extends string, Figure>(
  { rounds, report }: Pick<BenchOptions, 'rounds' | 'report'>,
  works: Readonly<Record<Name, (round: number) => Promise<Figure>>>,
): Promise<Record<Name, Figure[]>> {
  const entries = Object.entries(works) as [Name, (round: number) => Promise<Figure>][];
  const figures = Object.fromEntries(entries.map(([name]) => [name, [] as Figure[]]));
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, measure] of round % 2 === 0 ? entries : entries.toReversed()) {
      report(`round ${round} of ${rounds}: ${name}`);
      const figure = await measure(round);
      if (round > 0) figures[name]?.push(figure);
    }
  return figures as Record<Name, Figure[]>;
}
