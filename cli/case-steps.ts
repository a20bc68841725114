/** Commands that change a case without opening it: take a finding back, purge. */
import { HOUR_MS } from '#platform/durations.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import { PURGE_WAIT_HOURS } from '#wire/keep-days.ts';
import { buildStepReport, formatTimeOrDash, toCaseRecordJson } from './case-facts.ts';
import type { CaseSource } from './case-source.ts';
import { withCaseSource } from './chosen-source.ts';
import { type CommandReport, createCommand } from './command.ts';
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
  usage: 'cases purge ID [--yes]\n       cases purge ID --undo',
  about: `Purge a closed case permanently: at once for owners, and beside the database without a key.
With the key of an investigator it waits for ${PURGE_WAIT_HOURS} hours, or until the purge date if that comes sooner. Until then all of
the desk sees who asked, and any of them can undo it.
Saved files are not deleted: delete them yourself.`,
  help: [['--yes', 'do not ask for confirmation'], ['--undo', 'undo a purge that waits'], ...officeKeyHelp],
  options: { yes: { type: 'boolean' }, undo: { type: 'boolean' }, ...officeKeyOptions },
  operands: 1,
  work: async ({ yes = false, undo, ...values }, [operand]) =>
    await withCaseSource(await readOptionalAccess(values), async (source) =>
      undo ? await undoWaitingPurge(source, operand) : await purgeNamedCase(source, operand, yes),
    ),
});

async function undoWaitingPurge(source: CaseSource, operand: string | undefined): Promise<CommandReport> {
  const { id } = await source.requireCase(operand);
  return buildStepReport(await source.act(id, 'undo_purge'), source.now(), 'Undone.');
}

async function purgeNamedCase(
  source: CaseSource,
  operand: string | undefined,
  isConfirmed: boolean,
): Promise<CommandReport> {
  const record = await source.requireCaseToPurge(operand);
  requireNotHeld(record, source.now());
  const isAtOnce = await source.mayPurgeNow();
  const latest = source.now() + PURGE_WAIT_HOURS * HOUR_MS;
  const when = isAtOnce
    ? 'at once'
    : `at ${formatTimeOrDash(Math.min(latest, record.purge_at ?? latest))} unless it is undone`;
  const question = `Everything in the case will be deleted ${when}. Type purge to continue: `;
  if (!isConfirmed && !(await askConfirmation(question, 'purge')))
    throw new CommandFailure('Not confirmed, so nothing was purged.', EXIT_CODES.failure);
  if (isAtOnce) {
    await source.purgeNow(record.id);
    return { text: 'Purged.\n', json: { purged: record.id } };
  }
  const asked = await source.act(record.id, 'purge');
  return {
    text: `Asked. The case is purged at ${formatTimeOrDash(asked.purge_at)}. To undo it before: ${PROGRAM_NAME} cases purge ${asked.id} --undo\n`,
    json: { case: toCaseRecordJson(asked, source.now()) },
  };
}
