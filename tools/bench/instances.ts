/** Runs two instances on one PostgreSQL: how many more requests they answer than one. */
import { createDataFolder } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';
import type { BenchContext } from './bench.ts';
import { openPostgresOffices } from './filled-office.ts';
import { type BenchLoad, measureLoad, measureRounds } from './load.ts';
import { type BenchRow, createBenchRow, divide, formatMedian } from './report.ts';
import { createRequestTypes } from './request-types.ts';
import { type BenchTarget, startBenchTarget } from './target.ts';

const CASES = 1_000;
const CONNECTIONS = 16;
const ROUND_SECONDS = 2;
const ORDERS = 6_000;
const COMPARED = ['sealed inquiry', 'read of a case'];

export async function benchInstances(context: BenchContext): Promise<BenchRow[]> {
  const { report, rounds } = context;
  report(`filling PostgreSQL with ${CASES} cases`);
  const office = await (await openPostgresOffices(context))(CASES);
  const first = await startBenchTarget(context, { env: office.env });
  const otherEnv = { ...office.env, DATA_DIR: await createDataFolder(context) };
  const both = [first, await startBenchTarget(context, { env: otherEnv })];
  const get = await createHttpsClient(first.origin, office.dataDir);
  const types = await createRequestTypes(office, get, ORDERS);
  const rows: BenchRow[] = [];
  for (const { name, load } of types.filter((type) => COMPARED.includes(type.name))) {
    const { alone, together } = await measureRounds(
      { rounds, report: (text) => report(`${name}: ${text}`) },
      { alone: () => measureTogether([first], load), together: () => measureTogether(both, load) },
    );
    rows.push(
      createBenchRow({
        work: `${name}, two instances on one PostgreSQL, requests × one instance`,
        measured: divide(together, alone),
        unit: ' ×',
        target: null,
        details: [
          `${formatMedian(together)} a second (one ${formatMedian(alone)})`,
          'database and load on the same machine',
        ],
      }),
    );
  }
  return rows;
}

/** Returns requests in a second, of all of them together. */
async function measureTogether(targets: readonly BenchTarget[], load: BenchLoad): Promise<number> {
  const { prepare, ...request } = load;
  await prepare?.();
  const crowded = { ...request, connections: CONNECTIONS / targets.length, mayBeRefused: true };
  const figures = await Promise.all(
    targets.map((target) => measureLoad(target, crowded, { seconds: ROUND_SECONDS })),
  );
  return figures.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
