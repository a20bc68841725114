/** A thread that sends one request again and again on many connections of one address, and ends by itself. */
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

export interface Attack {
  readonly origin: string;
  /** Of this machine (127.0.0.0/8). */
  readonly from: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
}

const GIVE_UP_MS = 30_000;
/** An attacker who is refused asks again at once, but a bench has to leave some time to the server. */
const PAUSE_MS = 20;

/** Returns how many answers had each status; 0 stands for none. */
async function runAttack(options: Attack): Promise<ReadonlyMap<number, number>> {
  const { origin, path, method, headers, body, from } = options;
  const agent = new Agent({ keepAlive: true, localAddress: from, rejectUnauthorized: false });
  const statuses = new Map<number, number>();
  const send = () =>
    new Promise<number>((resolve) => {
      const sent = request(origin + path, { method, headers, agent, timeout: GIVE_UP_MS }, (answer) => {
        answer.resume().once('close', () => resolve(answer.statusCode ?? 0));
      });
      sent.once('timeout', () => sent.destroy()).once('error', () => resolve(0));
      sent.end(body);
    });
  const endsAt = performance.now() + options.seconds * 1_000;
  const sendRepeatedly = async () => {
    while (performance.now() < endsAt) {
      const status = await send();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, sendRepeatedly));
  agent.destroy();
  return statuses;
}

parentPort?.postMessage(await runAttack(workerData as Attack));
