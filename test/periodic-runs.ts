/** The periodic tasks of the service as single runs that a test can start. */
import type { PaymentProvider } from '#payments/payment-provider.ts';
import { createPeriodicTasks } from '#periodic-tasks.ts';
import { buildPublicAddresses } from '#platform/addresses.ts';
import { readConfig } from '#platform/config/config.ts';
import type { PeriodicTask, TaskGroup } from '#platform/schedule.ts';
import type { Services } from '#services.ts';
import { silentLog, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

/** A task in a group runs only if the group's `look` names it. */
export function listPeriodicRuns(tasks: readonly (PeriodicTask | TaskGroup)[]) {
  return tasks.flatMap((task) =>
    'run' in task
      ? [{ name: task.name, run: task.run }]
      : Object.entries(task.tasks).map(([name, run]) => ({
          name,
          run: async () => {
            if ([...(await task.look())].includes(name)) await run();
          },
        })),
  );
}

/** The tasks of a service that has only the parts that they use. */
export function createTasks(
  env: Record<string, string>,
  parts: Partial<Services> & Pick<Services, 'store'>,
): (PeriodicTask | TaskGroup)[] {
  const config = readConfig(env);
  const services: Partial<Services> = {
    addresses: buildPublicAddresses(config),
    ...createTrustedClock(),
    log: silentLog,
    keyring: testKeyring,
    paymentProvider: { configured: true } as PaymentProvider,
    terms: { version: '0123456789abcdef', text: '# Terms' },
    ...parts,
  };
  return createPeriodicTasks(config, services as Services);
}
