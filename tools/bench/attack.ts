/** The costliest requests known, on sixteen connections of one address: what another address notices of them. */
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Attack } from './attacker.ts';
import type { BenchContext } from './bench.ts';
import { createBenchOffice } from './office.ts';
import { type BenchRow, computeMedian, computePercentile, createBenchRow, formatFigure } from './report.ts';
import { type BenchRequest, sendRequest, startBenchTarget, type TimedAnswer } from './target.ts';

const MAX_RATIO = 5;
const CONNECTIONS = 16;
const SECONDS = 8;
const VISITS_AT_REST = 60;
const PAUSE_MS = 50;

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const JSON_BODY = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
const MCP = { ...JSON_BODY, accept: 'application/json, text/event-stream' };

/** By what is sent; what was found to cost seconds once stands first. */
const costly: Readonly<Record<string, BenchRequest>> = {
  'words that expand': { path: '/case', headers: FORM, body: `words=${'ﷺ'.repeat(3_990)}` },
  'words for permissions': { path: '/permissions/words', headers: FORM, body: `words=${'ﷺ'.repeat(3_990)}` },
  'an address of combining marks': {
    path: '/permissions/address',
    headers: FORM,
    body: `address=${'\u0315\u0300'.repeat(16_000)}`,
  },
  'an MCP greeting with 60,000 icons': { path: '/mcp', headers: MCP, body: createGreeting(60_000) },
  'a message with 20,000 files': {
    path: '/case/sealed/message',
    headers: JSON_BODY,
    body: `{"lookup_token":"a","files":[${Array(20_000).fill('{}').join()}]}`,
  },
  'an inquiry with 20,000 files': {
    path: '/inquiry/sealed',
    headers: JSON_BODY,
    body: `{"files":[${Array(20_000).fill('{}').join()}]}`,
  },
  'a registration with 30,000 zeros': {
    path: '/auth.md',
    headers: JSON_BODY,
    body: `{"redirect_uris":[${Array(30_000).fill('0').join()}]}`,
  },
  'a checkout of 30,000 levels': {
    path: '/api/stripe/checkout',
    headers: JSON_BODY,
    body: '['.repeat(60_000),
  },
  'a contact message of 60 KB': { path: '/contact', headers: FORM, body: `message=${'*a_'.repeat(20_000)}` },
  'a page with long headers': {
    path: '/',
    method: 'GET',
    headers: { accept: 'a/b;q=0,'.repeat(900), 'accept-language': 'a;q=0.5,'.repeat(900) },
    body: '',
  },
};

function createGreeting(icons: number): string {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'a', version: '1', icons: Array(icons).fill(0) },
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

export async function benchAttack(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const { origin } = await startBenchTarget(context, { env: { ...office.env, RATE_LIMIT: 'on' } });
  const rows: BenchRow[] = [];
  for (const [number, [name, sent]] of Object.entries(costly).entries()) {
    context.report(name);
    // Each pair of addresses has not been counted before.
    const agent = new Agent({
      keepAlive: true,
      localAddress: `127.0.2.${number + 1}`,
      rejectUnauthorized: false,
    });
    const atRest = await visitRepeatedly(agent, origin, (count) => count >= VISITS_AT_REST);
    const attacker = startAttack({
      origin,
      from: `127.0.1.${number + 1}`,
      request: { method: 'POST', ...sent },
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
    const visits = await visitRepeatedly(agent, origin, attacker.hasEnded);
    rows.push(...toRows(name, { atRest, visits, statuses: await attacker.statuses }));
    agent.destroy();
  }
  return rows;
}

async function visitRepeatedly(
  agent: Agent,
  origin: string,
  isEnough: (count: number) => boolean,
): Promise<TimedAnswer[]> {
  const visits: TimedAnswer[] = [];
  for (; !isEnough(visits.length); await sleep(PAUSE_MS))
    visits.push(await sendRequest(agent, origin, { path: '/' }));
  return visits;
}

/** In a thread of its own, so that the visitor does not wait for the attacker's own work. */
function startAttack(workerData: Attack) {
  const worker = new Worker(new URL('attacker.ts', import.meta.url), { workerData });
  let ended = false;
  const statuses = once(worker, 'message').then(([counts]) => {
    ended = true;
    return counts as ReadonlyMap<number, number>;
  });
  return { statuses, hasEnded: () => ended };
}

interface AttackResult {
  readonly atRest: readonly TimedAnswer[];
  readonly visits: readonly TimedAnswer[];
  readonly statuses: ReadonlyMap<number, number>;
}

function toRows(name: string, { atRest, visits, statuses }: AttackResult): BenchRow[] {
  const rest = computeMedian(atRest.map(({ ms }) => ms));
  const times = visits.map(({ ms }) => ms);
  const refused = visits.filter(({ status }) => status !== 200);
  return [
    createBenchRow({
      work: `${name}, ${CONNECTIONS} connections: \`GET /\` of another address`,
      measured: [computeMedian(times) / rest],
      unit: ' ×',
      target: MAX_RATIO,
      details: [
        `at rest ${formatFigure(rest)} ms, now p50/p95 ${formatFigure(computePercentile(times, 50))}/${formatFigure(computePercentile(times, 95))} ms`,
        `the attacker got ${[...statuses].map(([status, count]) => `${count} × ${status || 'no answer'}`).join(', ')}`,
      ],
    }),
    createBenchRow({
      work: `${name}: answers to another address that are not 200`,
      measured: [refused.length],
      target: 0,
      details: [`of ${visits.length}`, ...new Set(refused.map(({ status }) => `${status}`))],
    }),
  ];
}
