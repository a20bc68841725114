/** The periodic tasks of the service as single runs that a test can start. */
import type { PeriodicTask, TaskGroup } from '#platform/schedule.ts';

interface PeriodicRun {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** A task in a group runs only if the group's `look` names it. */
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
