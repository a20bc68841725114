/** Commands that change a case without a key: take a finding back, purge. */
import { purgeCaseNow } from '#cases/purge.ts';
import { takeBackDelivery } from '#cases/take-back.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { buildStepReport } from './case-facts.ts';
import { requireNamedCase } from './case-id.ts';
import { withStore, withStoreAndKeyring } from './cli-services.ts';
import { createCommand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { requireNotHeld } from './release-option.ts';

export const takeBackCommand = createCommand({
  usage: 'cases take-back ID',
  about: `Take back a finding that the buyer does not see yet. No key is needed.
It is deleted, and the case is in progress again. Once the buyer can read it, this is refused.`,
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await withStore(async (services) => {
      const record = await takeBackDelivery(services, (await requireNamedCase(services, id)).id);
      await services.store.erase();
      return buildStepReport(record, services.clock.now(), 'Taken back; the finding is deleted.');
    }),
});

export const purgeCaseCommand = createCommand({
  usage: 'cases purge ID [--yes]',
  about: `Purge a closed case now and permanently. No key is needed.
Exported bundles and saved files are not deleted: delete them yourself.`,
  help: [['--yes', 'do not ask for confirmation']],
  options: { yes: { type: 'boolean' } },
  operands: 1,
  work: async ({ yes }, [id]) =>
    await withStoreAndKeyring(async (services) => {
      const now = services.clock.now();
      // Whatever its date: one that is past it may wait for a clock that is in doubt.
      const record = await requireNamedCase(services, id, 0);
      requireNotHeld(record, now);
      if (
        !yes &&
        !(await askConfirmation('Everything in the case will be deleted. Type purge to continue: ', 'purge'))
      )
        throw new CommandFailure('Not confirmed, so nothing was purged.', EXIT_CODES.failure);
      await purgeCaseNow(services, record.id, 'desk');
      await services.store.erase();
      return { text: 'Purged.\n', json: { purged: record.id } };
    }),
});
