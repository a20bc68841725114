/** Runs tasks again and again, one run of each at a time, and lets a run finish before the program stops. */
import { type Log, traceOf } from './log.ts';

export interface Task {
  readonly name: string;
  readonly seconds: number;
  readonly run: () => Promise<void>;
}

export interface Schedule {
  readonly stop: () => Promise<void>;
}

export function startSchedule(tasks: readonly Task[], log: Log): Schedule {
  const stopped = new AbortController();
  const loops = tasks.map((task) => repeat(task, stopped.signal, log));
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat({ name, seconds, run }: Task, stopped: AbortSignal, log: Log): Promise<void> {
  while (!stopped.aborted) {
    await run().catch((error: unknown) => log.event('task_failed', { task: name, ...traceOf(error) }));
    await pause(seconds * 1_000 * spread(), stopped);
  }
}

/** Instances that start together must not come back together. */
function spread(): number {
  return 0.9 + Math.random() * 0.2;
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve();
    const timer = setTimeout(done, ms);
    stopped.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      stopped.removeEventListener('abort', done);
      resolve();
    }
  });
}
