/** Commands that change a case without a key: start work, set the retention, purge. */
import { purgeCaseNow } from '#cases/purge.ts';
import {
  applyCaseAction,
  applyCaseChange,
  type CaseChange,
  requireCase,
  updateKeepDays,
} from '#cases/states.ts';
import { takeBackDelivery } from '#cases/take-back.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { buildStepReport } from './case-facts.ts';
import { type CliServices, withStore, withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { requireNotHeld } from './release-option.ts';

export const takeCaseCommand = createCommand({
  usage: 'cases take ID',
  about: 'Start work on a case, or resume it while it waits for the buyer. No key is needed.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await withStore((services) =>
      runCaseStep(services, requireOperand(id, 'ID'), 'Work has started.', async (records, record) => {
        const act = record.state === 'awaiting_client' ? 'resume' : 'take';
        return await applyCaseAction(records, record, act, 'desk', services.clock.now());
      }),
    ),
});

export const retainCaseCommand = createCommand({
  usage: `cases retain ID ${KEEP_DAYS.join('|')} [--shorten]`,
  about: 'Set how many days after its delivery a case is kept. No key is needed.',
  help: [['--shorten', 'keep it for fewer days than now, which may be what the buyer chose']],
  options: { shorten: { type: 'boolean' } },
  operands: 2,
  work: async ({ shorten }, [id, text]) => {
    const days = KEEP_DAYS.find((choice) => String(choice) === text);
    if (days === undefined) throw createUsageFailure(`DAYS is one of ${KEEP_DAYS.join(', ')}`);
    return await withStore((services) =>
      runCaseStep(
        services,
        requireOperand(id, 'ID'),
        `Kept for ${days} days after the delivery.`,
        (records, record) => {
          if (days < record.keep_days && !shorten)
            throw new CommandFailure(
              `The case is to be kept for ${record.keep_days} days, which may be what the buyer chose. To keep it for fewer, add --shorten.`,
              EXIT_CODES.failure,
            );
          return updateKeepDays(records, record, days, services.clock.now(), 'desk');
        },
      ),
    );
  },
});

export const takeBackCommand = createCommand({
  usage: 'cases take-back ID',
  about: `Take back a finding that the buyer does not see yet. No key is needed.
It is deleted, and the case is in progress again. Once the buyer can read it, this is refused.`,
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await withStore(async (services) => {
      const record = await takeBackDelivery(services, requireOperand(id, 'ID'));
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
      const record = await requireCase(services.store.records, requireOperand(id, 'ID'), 0);
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

async function runCaseStep(
  services: CliServices,
  id: string,
  done: string,
  change: CaseChange,
): Promise<CommandReport> {
  return buildStepReport(await applyCaseChange(services, id, change), services.clock.now(), done);
}
