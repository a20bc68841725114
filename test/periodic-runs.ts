/** What the service does again and again, as single runs that a test can start in turn. */
import type { PeriodicTask, TaskGroup } from '#platform/schedule.ts';

interface PeriodicRun {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** A task of a group runs if the look of its group names it. */
export function listPeriodicRuns(tasks: readonly (PeriodicTask | TaskGroup)[]): PeriodicRun[] {
  return tasks.flatMap((task) =>
    'run' in task
      ? task
      : Object.entries(task.tasks).map(([name, run]) => ({
          name,
          run: async () => {
            if ([...(await task.look())].includes(name)) await run();
          },
        })),
  );
}
