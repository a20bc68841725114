/** Runs two instances on one PostgreSQL: how much more they do than one, and that what is done periodically is done once. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { BenchContext } from '#bench/bench.ts';
import { type BenchLoad, measureLoad } from '#bench/load/measure.ts';
import { type BenchTarget, startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';
import { createFilledOffice } from '#bench/setup/filled-office.ts';
import type { BenchOffice } from '#bench/setup/office.ts';
import { createPostgresSettings } from '#bench/setup/postgres-settings.ts';
import { makeCasesDue } from '#bench/setup/purge-run.ts';
import { createRequestTypes } from '#bench/setup/request-types.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';

const CASES = 1_000;
const DUE_CASES = 300;
const LETTERS = 40;
const MAX_WAIT_SECONDS = 60;
const CONNECTIONS = 16;
const ROUND_SECONDS = 2;
const ORDERS = 6_000;
const COMPARED = ['sealed inquiry', 'read of a case'];

export async function benchInstances(context: BenchContext): Promise<BenchRow[]> {
  const createSettings = await createPostgresSettings(context);
  context.report(`filling PostgreSQL with ${CASES} cases`);
  const office = await createFilledOffice(context, CASES, await createSettings());
  await makeCasesDue(office, DUE_CASES);
  await enqueueLetters(office);
  const folders = [office.dataDir, await createDataFolder(context)];
  const instances = await Promise.all(
    folders.map((folder, index) =>
      startBenchTarget(context, {
        name: `instance ${index + 1}`,
        env: { ...office.env, DATA_DIR: folder, DESK_MAIL: 'desk@localhost', SWEEP_SECONDS: '3600' },
      }),
    ),
  );
  const once = await countRepeatedWork(context, office, folders);
  return [...(await compareInstances(context, office, instances)), ...once];
}

async function enqueueLetters({ store }: BenchOffice): Promise<void> {
  await store.transaction(async (records) => {
    for (let letter = 0; letter < LETTERS; letter += 1) {
      // A digest of the past would not be sent.
      const payload = { slot: Number.MAX_SAFE_INTEGER };
      const entry = { topic: 'desk digest', dedupe: `bench ${letter}`, payload, dueAt: Date.now() };
      await enqueueOutboxEntry(records, entry);
    }
  });
}

async function countRepeatedWork(
  { report }: BenchContext,
  { store }: BenchOffice,
  folders: readonly string[],
): Promise<BenchRow[]> {
  const readCounts = async () => {
    const { rows } = await sql<{
      letters: number | string;
      due: number | string;
      purged: number | string;
    }>`select
      (select count(*) from outbox where dead = 0) as letters,
      (select count(*) from cases where purge_at <= ${Date.now()}) as due,
      (select count(*) from tombstones where purged_on is not null) as purged`.execute(store.records);
    const [row] = rows;
    return { left: Number(row?.letters) + Number(row?.due), purged: Number(row?.purged) };
  };
  let counts = await readCounts();
  for (let second = 0; second < MAX_WAIT_SECONDS && counts.left > 0; second += 1) {
    report(`${counts.left} letters and cases left`);
    await sleep(1_000);
    counts = await readCounts();
  }
  const sent = (await Promise.all(folders.map(countDigests))).reduce((sum, count) => sum + count, 0);
  return [
    createOnceRow('letters sent not once by two instances', sent - LETTERS, `${sent} of ${LETTERS} sent`),
    createOnceRow(
      'cases purged not once by two instances',
      counts.purged - DUE_CASES,
      `${counts.purged} of ${DUE_CASES} purged`,
    ),
  ];
}

async function countDigests(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  const letters = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return letters.filter((letter) => /^Subject: .*Digest/m.test(letter)).length;
}

function createOnceRow(work: string, difference: number, detail: string): BenchRow {
  const measured = computeSpread([Math.abs(difference)]);
  return createBenchRow({ work, measured, unit: '', target: 0, details: [detail] });
}

async function compareInstances(
  { rounds, report }: BenchContext,
  office: BenchOffice,
  instances: readonly BenchTarget[],
): Promise<BenchRow[]> {
  const [first] = instances;
  const get = await createHttpsClient(first!.origin, office.dataDir);
  const types = await createRequestTypes(office, get, ORDERS);
  const rows: BenchRow[] = [];
  for (const { name, load } of types.filter((type) => COMPARED.includes(type.name))) {
    const alone: number[] = [];
    const together: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      report(`round ${round + 1} of ${rounds}: ${name}`);
      const one = await measureTogether([first!], load);
      const two = await measureTogether(instances, load);
      if (round < 0) continue;
      alone.push(one);
      together.push(two);
    }
    rows.push(
      createBenchRow({
        work: `${name}, two instances on one PostgreSQL, requests × one instance`,
        measured: computeSpread(together.map((perSecond, round) => perSecond / alone[round]!)),
        unit: ' ×',
        target: null,
        details: [
          `${formatFigure(computeMedian(together))} a second (one ${formatFigure(computeMedian(alone))})`,
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
  const connections = CONNECTIONS / targets.length;
  const figures = await Promise.all(
    targets.map((target) =>
      measureLoad(target, { ...request, connections, mayBeRefused: true }, { seconds: ROUND_SECONDS }),
    ),
  );
  return figures.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
