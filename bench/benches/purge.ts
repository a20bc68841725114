/** Measures the purge in this process: CPU for each case with a thousand and a million cases, and its longest turn. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { BenchContext } from '#bench/bench.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';
import type { BenchOffice } from '#bench/setup/office.ts';
import { purgeSomeCases } from '#bench/setup/purge-run.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/objects.ts';
import { seedCase } from '#test/cases/seeded-case.ts';

const PURGE_GROWTH_TARGET = 2;
const LONGEST_TURN_MS = 50;
const SMALLEST = 1_000;
const CASES = 50;
/** Each of the three objects of the large case. */
const OBJECT_BYTES = 64 * MAX_STORED_PIECE_BYTES;

export async function benchPurge(context: BenchContext): Promise<BenchRow[]> {
  const small = await context.copyFilledOffice(context, SMALLEST);
  const large = await context.copyFilledOffice(context, context.size);
  const figures = { small: [] as number[], large: [] as number[], turns: [] as number[] };
  for (let round = -1; round < Math.min(context.rounds, SMALLEST / CASES / 2); round += 1) {
    context.report(`round ${round + 1} of ${context.rounds}`);
    const few = await purgeSomeCases(small, CASES);
    const many = await measureTurns(() => purgeSomeCases(large, CASES));
    if (round < 0) continue;
    figures.small.push(few.cpuMicroseconds / CASES);
    figures.large.push(many.result.cpuMicroseconds / CASES);
    figures.turns.push(many.longestMs);
  }
  const largeCaseTurns = await measureLargeCase(context, small);
  return [
    createBenchRow({
      work: `purge, CPU for each case, growth from ${SMALLEST} to ${context.size} cases`,
      measured: computeSpread(figures.large.map((cpu, round) => cpu / figures.small[round]!)),
      unit: ' ×',
      target: PURGE_GROWTH_TARGET,
      details: [
        `CPU ${formatFigure(computeMedian(figures.large))} µs (with ${SMALLEST} cases ${formatFigure(computeMedian(figures.small))} µs)`,
      ],
    }),
    createBenchRow({
      work: `purge of ${CASES} of ${context.size} cases, longest turn`,
      measured: computeSpread(figures.turns),
      unit: ' ms',
      target: LONGEST_TURN_MS,
      details: [],
    }),
    createBenchRow({
      work: `purge of a case of ${(3 * OBJECT_BYTES) / 1_048_576} MiB, longest turn`,
      measured: computeSpread(largeCaseTurns),
      unit: ' ms',
      target: LONGEST_TURN_MS,
      details: [],
    }),
  ];
}

async function measureLargeCase({ rounds, report }: BenchContext, office: BenchOffice): Promise<number[]> {
  const turns: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    report(`a large case, round ${round + 1}`);
    await seedCase(office.store, { purge_at: Date.now() - 1 }, OBJECT_BYTES);
    turns.push((await measureTurns(() => purgeSomeCases(office, 0))).longestMs);
  }
  return turns;
}

async function measureTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const result = await work();
  delay.disable();
  return { result, longestMs: delay.max / 1e6 };
}
