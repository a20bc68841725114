/** Runs tasks periodically, never two runs of one task at a time; stopping waits for the current runs. */
import { type Log, toErrorTrace } from './log.ts';

export interface PeriodicTask {
  readonly name: string;
  readonly seconds: number;
  readonly run: () => Promise<void>;
}

export interface TaskSchedule {
  readonly stop: () => Promise<void>;
}

/** Between the first runs of two tasks: those who wait for the service to start are answered in between. */
const FIRST_RUN_GAP_MS = 20;

export function startSchedule(tasks: readonly PeriodicTask[], log: Log): TaskSchedule {
  const stopped = new AbortController();
  const loops = tasks.map(async (task, index) => {
    await pause((index + 1) * FIRST_RUN_GAP_MS, stopped.signal);
    await runRepeatedly(task, stopped.signal, log);
  });
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

async function runRepeatedly(
  { name, seconds, run }: PeriodicTask,
  stopped: AbortSignal,
  log: Log,
): Promise<void> {
  while (!stopped.aborted) {
    await run().catch((error: unknown) => log.event('task_failed', { task: name, ...toErrorTrace(error) }));
    await pause(seconds * 1_000 * computeJitter(), stopped);
  }
}

/** Keeps instances that started together from running their tasks at the same time. */
function computeJitter(): number {
  return 0.9 + Math.random() * 0.2;
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve();
    const timer = setTimeout(finish, ms);
    stopped.addEventListener('abort', finish, { once: true });
    function finish() {
      clearTimeout(timer);
      stopped.removeEventListener('abort', finish);
      resolve();
    }
  });
}
