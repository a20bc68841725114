/** Measures the longest turn of the purge in this process, of many cases and of a large one. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import { createPurger } from '#cases/ending/purge.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { silentLog } from '#test/store/engines.ts';
import type { BenchContext } from './bench.ts';
import { measureRounds } from './load.ts';
import type { BenchOffice } from './office.ts';
import { type BenchRow, createBenchRow } from './report.ts';

const LONGEST_TURN_MS = 50;
const SMALLEST = 1_000;
const CASES = 50;
const LARGE_CASE_ROUNDS = 3;
/** Each of the three objects of the large case. */
const OBJECT_BYTES = 64 * MAX_STORED_PIECE_BYTES;

export async function benchPurge(context: BenchContext): Promise<BenchRow[]> {
  const small = await context.copyFilledOffice(context, SMALLEST);
  const full = await context.copyFilledOffice(context, context.size);
  const { many } = await measureRounds(context, { many: () => purgeSomeCases(full) });
  const { large } = await measureRounds(
    { ...context, rounds: Math.min(context.rounds, LARGE_CASE_ROUNDS) },
    {
      large: async () => {
        await seedCase(small.store, { purge_at: Date.now() - 1 }, OBJECT_BYTES);
        return await purgeSomeCases(small, 0);
      },
    },
  );
  const turns = { unit: ' ms', target: LONGEST_TURN_MS };
  return [
    createBenchRow({
      work: `purge of ${CASES} of ${context.size} cases, longest turn`,
      measured: many.map(({ longestTurnMs }) => longestTurnMs),
      ...turns,
    }),
    createBenchRow({
      work: `purge of a case of ${(3 * OBJECT_BYTES) / 1_048_576} MiB, longest turn`,
      measured: large.map(({ longestTurnMs }) => longestTurnMs),
      ...turns,
    }),
  ];
}

/** Makes some cases due and purges them as the periodic task does, in this process, to measure it alone. */
export async function purgeSomeCases(office: BenchOffice, cases = CASES) {
  await makeCasesDue(office, cases);
  const { store, keyring } = office;
  const clockGuard = createClockGuard({ clock, store, log: silentLog });
  const purger = createPurger({ clock, clockGuard, keyring, store }, silentLog);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  await purger.run();
  const milliseconds = performance.now() - startedAt;
  delay.disable();
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from cases where purge_at <= ${clock.now()}`.execute(store.records);
  if (Number(rows[0]?.due) > 0) throw new Error('cases that are due were not purged');
  return { milliseconds, longestTurnMs: delay.max / 1e6 };
}

export async function makeCasesDue({ store }: Pick<BenchOffice, 'store'>, cases: number): Promise<void> {
  const now = clock.now();
  await sql`update cases set purge_at = ${now - 1} where id in (
    select id from cases where purge_at > ${now} order by purge_at limit ${sql.lit(cases)}
  )`.execute(store.records);
}
