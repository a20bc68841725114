/** Commands that change a case without a key: start work, take a finding back, purge. */
import { purgeCaseNow } from '#cases/purge.ts';
import { applyCaseAction, applyCaseChange, type CaseChange, requireCase } from '#cases/states.ts';
import { takeBackDelivery } from '#cases/take-back.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { buildStepReport } from './case-facts.ts';
import { type CliServices, withStore, withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand, requireOperand } from './command.ts';
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
