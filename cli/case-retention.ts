/** The command that changes how long a case is kept, with a reason that the buyer reads. */
import { REASON_DAYS } from '#cases/retention.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { type CaseMessage, validateCaseMessage } from '#seal/message.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { sealReply, withCaseWorkspace } from './case-workspace.ts';
import { createCommand, createUsageFailure } from './command.ts';
import { CommandFailure } from './failure.ts';
import { officeKeyHelp, officeKeyOptions, readDeskAccess } from './pinning-key.ts';
import { parseSeenOption, requireSeenCount, seenHelp, seenOption } from './seen-option.ts';
import { messageTextHelp, messageTextOptions, readMessageText } from './typed-text.ts';

export const retainCaseCommand = createCommand({
  usage: `cases retain ID ${KEEP_DAYS.join('|')} --key FILE [--text REASON|--file FILE] [--shorten] [--seen N]`,
  about: `Set how many days after its delivery a case is kept, and tell the buyer why.
The reason is sent as a message.`,
  help: [
    ...officeKeyHelp,
    ...messageTextHelp,
    [
      '--shorten',
      `keep it for fewer days than now, which may be what the buyer chose;\nat least ${REASON_DAYS} must be left`,
    ],
    seenHelp,
  ],
  options: { ...officeKeyOptions, ...messageTextOptions, ...seenOption, shorten: { type: 'boolean' } },
  operands: 2,
  work: async (values, [id, text]) => {
    const days = KEEP_DAYS.find((choice) => String(choice) === text);
    if (days === undefined) throw createUsageFailure(`DAYS is one of ${KEEP_DAYS.join(', ')}`);
    const seen = parseSeenOption(values);
    const desk = await readDeskAccess(values);
    const message = requireReason(await readMessageText(values));
    return await withCaseWorkspace(id, desk, async (workspace) => {
      const { opened, now } = workspace;
      const { record } = opened;
      if (record.keep_days === days)
        return {
          text: `The case is kept for ${days} days already; nothing was sent.\n`,
          json: { case: toCaseRecordJson(record, now()), repeated: true },
        };
      if (days < record.keep_days && !values.shorten)
        throw new CommandFailure(
          `The case is to be kept for ${record.keep_days} days, which may be what the buyer chose. To keep it for fewer, add --shorten.`,
          EXIT_CODES.failure,
        );
      const reason = {
        message,
        act: 'retain',
        keepDays: days,
        seen: requireSeenCount(opened, seen),
      } as const;
      const changed = await workspace.write({
        ...(await sealReply(workspace, reason)),
        retain: { days, mayShorten: values.shorten === true },
      });
      const done = `Kept for ${days} days after the delivery. The buyer was told why.`;
      return buildStepReport(changed, now(), done);
    });
  },
});

function requireReason(text: string): CaseMessage {
  if (text.trim() === '')
    throw new CommandFailure(
      'There is no reason, so nothing was changed: write one, the buyer reads it as a message.',
      EXIT_CODES.failure,
    );
  const result = validateCaseMessage({ text }, { by: 'desk' });
  if ('message' in result) return result.message;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}
