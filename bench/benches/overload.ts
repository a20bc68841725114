/** Sends sealed inquiries on a thousand connections: each is answered or turned away soon, and nothing is lost. */
import type { BenchContext } from '#bench/bench.ts';
import { type CrowdAnswer, sendAsCrowd } from '#bench/load/crowd.ts';
import type { BenchLoad } from '#bench/load/measure.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computePercentile, computeSpread } from '#bench/report/spread.ts';
import { createInquiryLoads } from '#bench/setup/inquiry-load.ts';
import { type BenchOffice, createBenchOffice } from '#bench/setup/office.ts';
import { createHttpsClient } from '#test/https-client.ts';

const LONGEST_WAIT_SECONDS = 2;
const CROWD = { connections: 1_000, seconds: 8 };
const ORDERS = 30_000;
const IDS_AT_ONCE = 500;

export async function benchOverload(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { name: 'Inquiry Office', env: office.env });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const { bare, ours } = await createInquiryLoads(office, get, ORDERS);
  context.report(`${CROWD.connections} connections for ${CROWD.seconds} s`);
  const answers = await sendAsCrowd(target.origin, ours, CROWD);
  const { rssBytes } = await target.usage();
  await target.stop();
  const bareWait = await measureBareWait(context, bare);
  const opened = answers.filter(({ status }) => status === 201);
  const isTurnedAway = ({ status, retryAfter }: CrowdAnswer) => status === 503 && retryAfter !== null;
  const others = answers.filter((answer) => answer.status !== 201 && !isTurnedAway(answer));
  const lost = await countLostCases(office, opened);
  const waits = answers.map(({ ms }) => ms);
  const work = `${CROWD.connections} connections on the inquiry path`;
  return [
    createBenchRow({
      work: `${work}: longest wait`,
      measured: computeSpread([Math.max(...waits) / 1_000]),
      unit: ' s',
      target: LONGEST_WAIT_SECONDS,
      details: [
        `${opened.length} opened, ${answers.length - opened.length - others.length} turned away`,
        `p50/p99 ${formatFigure(computePercentile(waits, 50))}/${formatFigure(computePercentile(waits, 99))} ms`,
        `RSS ${Math.round(rssBytes / 1e6)} MB`,
        `on a bare route that stores nothing ${formatFigure(bareWait / 1_000)} s`,
      ],
    }),
    createBenchRow({
      work: `${work}: neither opened nor turned away with Retry-After`,
      measured: computeSpread([others.length]),
      unit: '',
      target: 0,
      details: listStatuses(others),
    }),
    createBenchRow({
      work: `${work}: acknowledged and not stored`,
      measured: computeSpread([lost]),
      unit: '',
      target: 0,
      details: [`${opened.length} acknowledged cases looked up`],
    }),
  ];
}

/** What of it the load and the machine alone would need. */
async function measureBareWait(context: BenchContext, load: BenchLoad): Promise<number> {
  const script = 'bench/bare/inquiry-server.ts';
  const target = await startBenchTarget(context, { name: 'bare Fastify', script });
  context.report(`${CROWD.connections} connections to a bare server`);
  const answers = await sendAsCrowd(target.origin, load, CROWD);
  await target.stop();
  return Math.max(...answers.map(({ ms }) => ms));
}

function listStatuses(answers: readonly CrowdAnswer[]): string[] {
  const counts = Map.groupBy(answers, ({ status }) => status);
  return [...counts].map(([status, { length }]) => `${length} × ${status || 'no answer'}`);
}

async function countLostCases({ store }: BenchOffice, opened: readonly CrowdAnswer[]): Promise<number> {
  const ids = opened.map(({ text }) => String((JSON.parse(text) as { id?: string }).id));
  let found = 0;
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const query = store.records.selectFrom('cases').select('id');
    found += (await query.where('id', 'in', ids.slice(at, at + IDS_AT_ONCE)).execute()).length;
  }
  return ids.length - found;
}
