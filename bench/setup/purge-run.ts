/** Makes some cases due and purges them as the periodic task does, in this process, to measure it alone. */
import { sql } from 'kysely';
import { createPurger } from '#cases/purge.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { openLog } from '#platform/log.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import type { BenchOffice } from './office.ts';

const PURGED_CASES = 50;

export interface PurgeFigures {
  readonly milliseconds: number;
  readonly cpuMicroseconds: number;
  readonly cases: number;
}

export async function purgeSomeCases(office: BenchOffice, cases = PURGED_CASES): Promise<PurgeFigures> {
  await makeCasesDue(office, cases);
  const { store, keyring } = office;
  const log = openLog({ write: () => {} });
  const clockGuard = createClockGuard({ clock, store, log });
  const purger = createPurger({ clock, clockGuard, keyring, store }, log);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await purger.run();
  const { user, system } = process.cpuUsage(before);
  const milliseconds = performance.now() - startedAt;
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from cases where purge_at <= ${clock.now()}`.execute(store.records);
  if (Number(rows[0]?.due) > 0) throw new Error('cases that are due were not purged');
  return { milliseconds, cpuMicroseconds: user + system, cases };
}

export async function makeCasesDue({ store }: Pick<BenchOffice, 'store'>, cases: number): Promise<void> {
  const now = clock.now();
  await sql`update cases set purge_at = ${now - 1} where id in (
    select id from cases where purge_at > ${now} order by purge_at limit ${sql.lit(cases)}
  )`.execute(store.records);
}
