/** Commands that change a case without opening it: take a finding back, purge. */
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { buildStepReport } from './case-facts.ts';
import { withCaseSource } from './chosen-source.ts';
import { createCommand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { officeKeyHelp, officeKeyOptions, readOptionalAccess } from './pinning-key.ts';
import { requireNotHeld } from './release-option.ts';

export const takeBackCommand = createCommand({
  usage: 'cases take-back ID',
  about: `Take back a finding that the buyer does not see yet. No key is needed.
It is deleted, and the case is in progress again. Once the buyer can read it, this is refused.`,
  help: officeKeyHelp,
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await withCaseSource(await readOptionalAccess(values), async (source) => {
      const { id } = await source.requireCase(operand);
      const record = await source.act(id, 'take_back');
      return buildStepReport(record, source.now(), 'Taken back; the finding is deleted.');
    }),
});

export const purgeCaseCommand = createCommand({
  usage: 'cases purge ID [--yes]',
  about: `Purge a closed case now and permanently. No key is needed.
Exported bundles and saved files are not deleted: delete them yourself.`,
  help: [['--yes', 'do not ask for confirmation'], ...officeKeyHelp],
  options: { yes: { type: 'boolean' }, ...officeKeyOptions },
  operands: 1,
  work: async ({ yes, ...values }, [operand]) =>
    await withCaseSource(await readOptionalAccess(values), async (source) => {
      const record = await source.requireCaseToPurge(operand);
      requireNotHeld(record, source.now());
      if (
        !yes &&
        !(await askConfirmation('Everything in the case will be deleted. Type purge to continue: ', 'purge'))
      )
        throw new CommandFailure('Not confirmed, so nothing was purged.', EXIT_CODES.failure);
      await source.purge(record.id);
      return { text: 'Purged.\n', json: { purged: record.id } };
    }),
});
