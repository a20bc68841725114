/** A thread that sends one request again and again on many connections of one address, and ends by itself. */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type BenchRequest, sendRequest } from './target.ts';

export interface Attack {
  readonly origin: string;
  /** Of this machine (127.0.0.0/8). */
  readonly from: string;
  readonly request: BenchRequest;
  readonly connections: number;
  readonly seconds: number;
}

/** An attacker who is refused asks again at once, but a bench has to leave some time to the server. */
const PAUSE_MS = 20;

/** Returns how many answers had each status; 0 stands for none. */
async function runAttack(attack: Attack): Promise<ReadonlyMap<number, number>> {
  const { origin, from, request, connections, seconds } = attack;
  const agent = new Agent({ keepAlive: true, localAddress: from, rejectUnauthorized: false });
  const statuses = new Map<number, number>();
  const endsAt = performance.now() + seconds * 1_000;
  const sendRepeatedly = async () => {
    while (performance.now() < endsAt) {
      const { status } = await sendRequest(agent, origin, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRepeatedly));
  agent.destroy();
  return statuses;
}

parentPort?.postMessage(await runAttack(workerData as Attack));
