/** The command that changes how long a case is kept, with a reason that the buyer reads. */
import { REASON_DAYS } from '#cases/retention.ts';
import { requireValidMessage } from '#desk-program/office/case-writer.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { buildRepeatReport, buildStepReport } from './case-facts.ts';
import { createCommand, createUsageFailure } from './command.ts';
import { withOfficeLink } from './office-link.ts';
import { officeHelp, officeOptions, readOfficeAccess } from './office-option.ts';
import { openNamedCase, parseSeenOption, seenHelp, seenOption, sendReply } from './opened-case.ts';
import { messageTextHelp, messageTextOptions, readMessageText } from './typed-text.ts';

export const retainCaseCommand = createCommand({
  usage: `cases retain ID ${KEEP_DAYS.join('|')} [--text REASON|--file FILE] [--shorten] [--seen N]`,
  about: `Set how many days after its delivery a case is kept, and tell the buyer why.
The reason is sent as a message.`,
  help: [
    ...officeHelp,
    ...messageTextHelp,
    [
      '--shorten',
      `keep it for fewer days than now, which may be what the buyer chose;\nat least ${REASON_DAYS} must be left`,
    ],
    seenHelp,
  ],
  options: { ...officeOptions, ...messageTextOptions, ...seenOption, shorten: { type: 'boolean' } },
  operands: 2,
  work: async (values, [id, text]) => {
    const days = KEEP_DAYS.find((choice) => String(choice) === text);
    if (days === undefined) throw createUsageFailure(`DAYS is one of ${KEEP_DAYS.join(', ')}`);
    const seen = parseSeenOption(values);
    const access = await readOfficeAccess(values);
    const reply = { act: 'retain', keepDays: days, text: await readMessageText(values) } as const;
    if (reply.text.trim() === '')
      throw new ProgramError(
        'There is no reason, so nothing was changed: write one, the buyer reads it as a message.',
        EXIT_CODES.failure,
      );
    requireValidMessage(reply);
    return await withOfficeLink(access, async (link) => {
      const opened = await openNamedCase(link, id);
      const { facts, now } = opened;
      if (facts.keep_days === days)
        return buildRepeatReport(facts, `The case is kept for ${days} days already; nothing was sent.`);
      if (days < facts.keep_days && !values.shorten)
        throw new ProgramError(
          `The case is to be kept for ${facts.keep_days} days, which may be what the buyer chose. To keep it for fewer, add --shorten.`,
          EXIT_CODES.failure,
        );
      const changed = await sendReply(link, opened, reply, seen);
      return buildStepReport(
        changed,
        now,
        `Kept for ${days} days after the delivery. The buyer was told why.`,
      );
    });
  },
});
