/** Sends one request after another on one connection and says how long each took, finer than whole milliseconds. */
import { Agent, request } from 'node:https';
import type { BenchLoad } from './measure.ts';
import type { BenchTarget } from './target.ts';

/** Returns milliseconds. */
export async function measureSequence(
  { name, origin }: Pick<BenchTarget, 'name' | 'origin'>,
  load: BenchLoad,
  count: number,
): Promise<number[]> {
  await load.prepare?.();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    const times: number[] = [];
    // The first one also opens the connection.
    for (let sent = -1; sent < count; sent += 1) {
      const startedAt = performance.now();
      const status = await sendOnce(agent, origin, load);
      if (status < 200 || status > 299) throw new Error(`${name}: ${status} for ${load.path}`);
      if (sent >= 0) times.push(performance.now() - startedAt);
    }
    return times;
  } finally {
    agent.destroy();
  }
}

function sendOnce(agent: Agent, origin: string, load: BenchLoad): Promise<number> {
  const { path, method = 'GET', headers = {}, body } = { ...load, ...load.vary?.() };
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: { ...headers, ...length } };
    const sending = request(origin + path, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sending.once('error', reject);
    sending.end(body);
  });
}
