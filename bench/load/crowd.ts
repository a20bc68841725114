/** A crowd: many connections that all send at once, and wait as long as they are told to when they are turned away. */
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchLoad } from './measure.ts';

const SECOND_MS = 1_000;
/** Nothing is worth waiting for longer. */
const GIVE_UP_MS = 30_000;

export interface CrowdAnswer {
  /** 0 if there was none. */
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: number | null;
  readonly text: string;
}

/** Every connection is open before the first request of the load is sent. */
export async function sendAsCrowd(
  origin: string,
  load: BenchLoad,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<CrowdAnswer[]> {
  await load.prepare?.();
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  const answers: CrowdAnswer[] = [];
  try {
    const members = Array.from({ length: connections });
    await Promise.all(members.map(() => sendTimed(agent, origin, { path: '/api/health' })));
    const endsAt = performance.now() + seconds * SECOND_MS;
    const sendRepeatedly = async () => {
      while (performance.now() < endsAt) {
        const answer = await sendTimed(agent, origin, { ...load, ...load.vary?.() });
        answers.push(answer);
        if (answer.status !== 201) await sleep((answer.retryAfter ?? 1) * SECOND_MS);
      }
    };
    await Promise.all(members.map(sendRepeatedly));
    return answers;
  } finally {
    agent.destroy();
  }
}

async function sendTimed(agent: Agent, origin: string, load: BenchLoad): Promise<CrowdAnswer> {
  const startedAt = performance.now();
  const answer = await sendAndRead(agent, origin, load).catch(() => null);
  const retryAfter = answer?.response.headers['retry-after'];
  return {
    status: answer?.response.statusCode ?? 0,
    ms: performance.now() - startedAt,
    retryAfter: retryAfter === undefined ? null : Number(retryAfter),
    text: answer?.text ?? '',
  };
}

function sendAndRead(
  agent: Agent,
  origin: string,
  { path, method = 'GET', headers = {}, body }: BenchLoad,
): Promise<{ response: IncomingMessage; text: string }> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: { ...headers, ...length }, timeout: GIVE_UP_MS };
    const sending = request(origin + path, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ response, text }));
      response.once('error', reject);
    });
    sending.once('timeout', () => sending.destroy(new Error('no answer')));
    sending.once('error', reject);
    sending.end(body);
  });
}
