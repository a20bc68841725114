/** Runs tasks periodically, never two runs of one task at a time; stopping waits for the current runs. */
import timers from 'node:timers/promises';
import { SECOND_MS } from './durations.ts';
import { type Log, toErrorTrace } from './log.ts';

export interface PeriodicTask {
  readonly name: string;
  readonly seconds: number;
  readonly run: () => Promise<void>;
}

/** Tasks that have work only occasionally; a single look covers them all. */
export interface TaskGroup {
  readonly name: string;
  readonly seconds: number;
  /** Returns the names of the tasks that have work. */
  readonly look: () => Promise<Iterable<string>>;
  readonly tasks: Readonly<Record<string, () => Promise<void>>>;
}

/** Between the first runs of two tasks, so that requests waiting for the start are answered in between. */
const FIRST_RUN_GAP_MS = 20;

export function startSchedule(tasks: readonly (PeriodicTask | TaskGroup)[], log: Log) {
  const stopped = new AbortController();
  const running = new Map<string, Promise<void>>();
  const runLogged = (name: string, run: () => Promise<void>) =>
    run().catch((error: unknown) => log.event('task_failed', { task: name, ...toErrorTrace(error) }));
  /** Tasks of a group do not wait for each other, and the next look does not wait for them. */
  const startDue = async (group: TaskGroup) => {
    for (const name of await group.look()) {
      const run = group.tasks[name];
      // Another group may have a task of the same name.
      const key = `${group.name}: ${name}`;
      if (!run || running.has(key) || stopped.signal.aborted) continue;
      running.set(
        key,
        runLogged(name, run).finally(() => void running.delete(key)),
      );
    }
  };
  const loops = tasks.map(async (task, index) => {
    await pause((index + 1) * FIRST_RUN_GAP_MS, stopped.signal);
    while (!stopped.signal.aborted) {
      await runLogged(task.name, 'run' in task ? task.run : () => startDue(task));
      // Keeps instances that started together from running their tasks at the same time.
      const jitter = 0.9 + Math.random() * 0.2;
      await pause(task.seconds * SECOND_MS * jitter, stopped.signal);
    }
  });
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(loops);
      await Promise.all(running.values());
    },
  };
}

/** Called through the module, because a test could not replace an imported function. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await timers.setTimeout(ms, undefined, { signal }).catch(() => {});
}
