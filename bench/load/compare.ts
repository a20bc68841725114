/** Compares our service with a bare server in alternating rounds: CPU time per request, as a ratio. */
import type { BenchContext } from '#bench/bench.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread, type Spread } from '#bench/report/spread.ts';
import { type BenchLoad, type LoadFigures, measureLoad } from './measure.ts';
import type { BenchTarget } from './target.ts';

/** Enough for the JIT to compile the hot code. */
const WARM_UP_SECONDS = 3;
const ROUND_SECONDS = 2;

interface Contestant {
  readonly target: BenchTarget;
  readonly load: BenchLoad;
}

export interface Contest {
  readonly bare: Contestant;
  readonly ours: Contestant;
}

interface ContestantFigures extends Omit<LoadFigures, 'requests'> {
  readonly rssBytes: number;
}

export interface Comparison {
  readonly ratio: Spread;
  readonly bare: ContestantFigures;
  readonly ours: ContestantFigures;
}

export async function compareTargets(
  { rounds, report }: Pick<BenchContext, 'rounds' | 'report'>,
  { bare, ours }: Contest,
): Promise<Comparison> {
  const contestants = [bare, ours];
  for (const { target, load } of contestants) {
    report(`warming up: ${target.name}`);
    await measureLoad(target, load, { seconds: WARM_UP_SECONDS });
  }
  const figures = new Map<Contestant, LoadFigures[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const { target, load } = contestant;
      report(`round ${round + 1} of ${rounds}: ${target.name}`);
      figures.get(contestant)?.push(await measureLoad(target, load, { seconds: ROUND_SECONDS }));
    }
  const [reference = [], measured = []] = figures.values();
  const ratios = measured.map(
    ({ microseconds }, index) => microseconds / (reference[index]?.microseconds ?? Number.NaN),
  );
  return {
    ratio: computeSpread(ratios),
    bare: await joinFigures(bare.target, reference),
    ours: await joinFigures(ours.target, measured),
  };
}

async function joinFigures(target: BenchTarget, rounds: readonly LoadFigures[]): Promise<ContestantFigures> {
  const { rssBytes } = await target.usage();
  const pick = (key: keyof LoadFigures) => computeMedian(rounds.map((round) => round[key]));
  return {
    rssBytes,
    microseconds: pick('microseconds'),
    perSecond: pick('perSecond'),
    p50: pick('p50'),
    p99: pick('p99'),
  };
}

export function createRatioRow(
  { work, target }: { readonly work: string; readonly target: number },
  { ratio, bare, ours }: Comparison,
): BenchRow {
  return createBenchRow({
    work,
    target,
    measured: ratio,
    unit: ' ×',
    details: [
      `CPU ${formatFigure(ours.microseconds)} µs (bare ${formatFigure(bare.microseconds)})`,
      `${Math.round(ours.perSecond)} a second (bare ${Math.round(bare.perSecond)})`,
      `p50/p99 ${ours.p50}/${ours.p99} ms (bare ${bare.p50}/${bare.p99})`,
      `RSS ${Math.round(ours.rssBytes / 1e6)} MB (bare ${Math.round(bare.rssBytes / 1e6)})`,
    ],
  });
}
