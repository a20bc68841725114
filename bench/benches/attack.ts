/** The costliest requests known, on sixteen connections of one address: what another address notices of them. */
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BenchContext } from '#bench/bench.ts';
import type { Attack } from '#bench/load/attacker.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computePercentile, computeSpread } from '#bench/report/spread.ts';
import { createBenchOffice } from '#bench/setup/office.ts';

const MAX_RATIO = 5;
const CONNECTIONS = 16;
const SECONDS = 8;
const VISITS_AT_REST = 60;
const PAUSE_MS = 50;
const GIVE_UP_MS = 20_000;

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const JSON_BODY = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
const MCP = { ...JSON_BODY, accept: 'application/json, text/event-stream' };

type Costly = Pick<Attack, 'path' | 'headers' | 'body'> & { readonly method?: 'GET' };

/** By what is sent; what was found to cost seconds once stands first. */
const costly: Readonly<Record<string, Costly>> = {
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
  const env = { ...office.env, RATE_LIMIT: 'on' };
  const { origin } = await startBenchTarget(context, { name: 'Inquiry Office', env });
  const rows: BenchRow[] = [];
  for (const [number, [name, sent]] of Object.entries(costly).entries()) {
    context.report(name);
    // Each pair of addresses has not been counted before.
    const visitor = createVisitor(origin, `127.0.2.${number + 1}`);
    const atRest = await visitor.visit(VISITS_AT_REST, () => false);
    const attack = { method: 'POST', ...sent, origin, from: `127.0.1.${number + 1}` } as const;
    const attacker = startAttack({ ...attack, connections: CONNECTIONS, seconds: SECONDS });
    const visits = await visitor.visit(Number.POSITIVE_INFINITY, attacker.hasEnded);
    rows.push(...toRows(name, { atRest, visits, statuses: await attacker.statuses }));
    visitor.close();
  }
  return rows;
}

interface Visit {
  readonly status: number;
  readonly ms: number;
}

function createVisitor(origin: string, from: string) {
  const agent = new Agent({ keepAlive: true, localAddress: from, rejectUnauthorized: false });
  const visitOnce = async (): Promise<Visit> => {
    const startedAt = performance.now();
    const status = await new Promise<number>((resolve) => {
      const sent = request(`${origin}/`, { agent, timeout: GIVE_UP_MS }, (answer) => {
        answer.resume().once('close', () => resolve(answer.statusCode ?? 0));
      });
      sent.once('timeout', () => sent.destroy()).once('error', () => resolve(0));
      sent.end();
    });
    return { status, ms: performance.now() - startedAt };
  };
  return {
    visit: async (most: number, hasEnded: () => boolean): Promise<Visit[]> => {
      const visits: Visit[] = [];
      for (; visits.length < most && !hasEnded(); await sleep(PAUSE_MS)) visits.push(await visitOnce());
      return visits;
    },
    close: () => agent.destroy(),
  };
}

/** In a thread of its own, so that the visitor does not wait for the attacker's own work. */
function startAttack(workerData: Attack) {
  const worker = new Worker(new URL('../load/attacker.ts', import.meta.url), { workerData });
  let ended = false;
  const statuses = once(worker, 'message').then(([counts]) => {
    ended = true;
    return counts as ReadonlyMap<number, number>;
  });
  return { statuses, hasEnded: () => ended };
}

interface AttackResult {
  readonly atRest: readonly Visit[];
  readonly visits: readonly Visit[];
  readonly statuses: ReadonlyMap<number, number>;
}

function toRows(name: string, { atRest, visits, statuses }: AttackResult): BenchRow[] {
  const rest = computeSpread(atRest.map(({ ms }) => ms)).median;
  const times = visits.map(({ ms }) => ms);
  const refused = visits.filter(({ status }) => status !== 200);
  return [
    createBenchRow({
      work: `${name}, ${CONNECTIONS} connections: \`GET /\` of another address`,
      group: 'attack: time of another address',
      measured: computeSpread([computeSpread(times).median / rest]),
      unit: ' ×',
      target: MAX_RATIO,
      details: [
        `at rest ${formatFigure(rest)} ms, now p50/p95 ${formatFigure(computePercentile(times, 50))}/${formatFigure(computePercentile(times, 95))} ms`,
        `the attacker got ${[...statuses].map(([status, count]) => `${count} × ${status || 'no answer'}`).join(', ')}`,
      ],
    }),
    createBenchRow({
      work: `${name}: answers to another address that are not 200`,
      group: 'attack: refusals to another address',
      measured: computeSpread([refused.length]),
      unit: '',
      target: 0,
      details: [`of ${visits.length}`, ...new Set(refused.map(({ status }) => `${status}`))],
    }),
  ];
}
