/** Sends sealed inquiries on a thousand connections: each is answered or turned away soon, and nothing is lost. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { createHttpsClient } from '#test/https-client.ts';
import type { BenchContext } from './bench.ts';
import type { BenchLoad } from './load.ts';
import { type BenchOffice, createBenchOffice, createInquiryLoads } from './office.ts';
import { type BenchRow, computePercentile, createBenchRow, formatFigure } from './report.ts';
import { startBenchTarget } from './target.ts';

const LONGEST_WAIT_SECONDS = 2;
const CONNECTIONS = 1_000;
const SECONDS = 8;
const ORDERS = 30_000;
const IDS_AT_ONCE = 500;
/** Nothing is worth waiting for longer. */
const GIVE_UP_MS = 30_000;
const OPENED_AT_ONCE = 50;
const HEAD_END = '\r\n\r\n';

export async function benchOverload(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { env: office.env });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const loads = await createInquiryLoads(office, get, ORDERS);
  context.report(`${CONNECTIONS} connections for ${SECONDS} s`);
  const answers = await sendAsCrowd(target.origin, loads.ours);
  const { rssBytes } = await target.usage();
  await target.stop();
  // What of the waiting the load and the machine alone would need.
  context.report(`${CONNECTIONS} connections to a bare server`);
  const bare = await startBenchTarget(context, { bare: 'inquiry' });
  const bareWaits = (await sendAsCrowd(bare.origin, loads.bare)).map(({ ms }) => ms);
  const opened = answers.filter(({ status }) => status === 201);
  const isTurnedAway = ({ status, retryAfter }: CrowdAnswer) => status === 503 && retryAfter !== null;
  const others = answers.filter((answer) => answer.status !== 201 && !isTurnedAway(answer));
  const waits = answers.map(({ ms }) => ms);
  const work = `${CONNECTIONS} connections on the inquiry path`;
  return [
    createBenchRow({
      work: `${work}: longest wait`,
      measured: [Math.max(...waits) / 1_000],
      unit: ' s',
      target: LONGEST_WAIT_SECONDS,
      details: [
        `${opened.length} opened, ${answers.length - opened.length - others.length} turned away`,
        `p50/p99 ${formatFigure(computePercentile(waits, 50))}/${formatFigure(computePercentile(waits, 99))} ms`,
        `RSS ${Math.round(rssBytes / 1e6)} MB`,
        `on a bare route that stores nothing ${formatFigure(Math.max(...bareWaits) / 1_000)} s`,
      ],
    }),
    createBenchRow({
      work: `${work}: neither opened nor turned away with Retry-After`,
      measured: [others.length],
      target: 0,
      details: [...new Set(others.map(({ status }) => `${status || 'no answer'}`))],
    }),
    createBenchRow({
      work: `${work}: acknowledged and not stored`,
      measured: [await countLostCases(office, opened)],
      target: 0,
      details: [`${opened.length} acknowledged cases looked up`],
    }),
  ];
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

interface CrowdAnswer {
  /** 0 if there was none. */
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: number | null;
  readonly text: string;
}

/**
 * All connections are open before the first request is sent, and wait as long as they are told to when they are turned
 * away. Written on bare sockets: a client of node:https would need more time for a thousand connections than the
 * server, and its callers would wait for the client.
 */
async function sendAsCrowd(origin: string, load: BenchLoad): Promise<CrowdAnswer[]> {
  await load.prepare?.();
  const sockets: TLSSocket[] = [];
  const answers: CrowdAnswer[] = [];
  try {
    const session = await openSession(origin);
    while (sockets.length < CONNECTIONS) {
      const opening = Array.from({ length: OPENED_AT_ONCE }, () => openSocket(origin, session));
      sockets.push(...(await Promise.all(opening)));
    }
    const endsAt = performance.now() + SECONDS * 1_000;
    const sendRepeatedly = async (socket: TLSSocket) => {
      while (performance.now() < endsAt && !socket.destroyed) {
        const answer = await sendAndWait(socket, serializeRequest(origin, { ...load, ...load.vary?.() }));
        answers.push(answer);
        if (answer.status !== 201) await sleep((answer.retryAfter ?? 1) * 1_000);
      }
    };
    await Promise.all(sockets.map(sendRepeatedly));
    return answers;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Connections that resume it open fast: a server closes one that waits too long for its first request. */
async function openSession(origin: string): Promise<Buffer> {
  const socket = await openSocket(origin);
  const [session] = (await once(socket, 'session')) as [Buffer];
  socket.destroy();
  return session;
}

async function openSocket(origin: string, session?: Buffer): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin);
  const resumed = session ? { session } : {};
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...resumed });
  // A caller that waits for an answer sees that the socket is closed.
  socket.on('error', () => {});
  socket.setEncoding('latin1').setTimeout(GIVE_UP_MS, () => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

function serializeRequest(
  origin: string,
  { path, method = 'GET', headers = {}, body = '' }: BenchLoad,
): string {
  const fields = { host: new URL(origin).host, ...headers, 'content-length': String(body.length) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function sendAndWait(socket: TLSSocket, request: string): Promise<CrowdAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let received = '';
    const finish = (answer: Omit<CrowdAnswer, 'ms'>) => {
      socket.off('data', onData).off('close', onClose);
      resolve({ ...answer, ms: performance.now() - startedAt });
    };
    const onData = (chunk: string) => {
      received += chunk;
      const answer = parseAnswer(received);
      if (answer) finish(answer);
    };
    const onClose = () => finish({ status: 0, retryAfter: null, text: '' });
    socket.on('data', onData).on('close', onClose).write(request, 'latin1');
  });
}

/** Null until all of it is there. */
export function parseAnswer(received: string): Omit<CrowdAnswer, 'ms'> | null {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = received.slice(0, end);
  const text = received.slice(end + HEAD_END.length);
  if (text.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return null;
  const retryAfter = /^retry-after: (\d+)/im.exec(head)?.[1];
  return {
    status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
    retryAfter: retryAfter === undefined ? null : Number(retryAfter),
    text,
  };
}
