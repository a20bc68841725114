/** Commands that write to the buyer with the desk key: questions, messages, reasons to decline or to retain longer. */
import { DECLINED_DAYS, REASON_DAYS } from '#cases/ending/retention.ts';
import { caseTransitions } from '#cases/states.ts';
import { requireValidMessage } from '#desk/office/case-writer.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { type CliCommand, createCommand, createUsageFailure } from '../command.ts';
import { officeOptions, readOfficeAccess, withOfficeLink } from '../office-link.ts';
import { messageTextOptions, readMessageText } from '../terminal/typed-text.ts';
import { buildRepeatReport, buildStepReport } from './case-facts.ts';
import { findLastOwnMessage, openNamedCase, parseSeenOption, seenOption, sendReply } from './office-cases.ts';

interface WritingCommand {
  readonly name: 'ask' | 'message' | 'decline';
  readonly about: string;
  readonly done: string;
}

export const askBuyerCommand = createWritingCommand({
  name: 'ask',
  about: 'Ask the buyer a question. The case waits for the answer; its due time does not change.',
  done: 'Asked.',
});

export const writeMessageCommand = createWritingCommand({
  name: 'message',
  about: 'Send the buyer a message that needs no answer.',
  done: 'Message sent.',
});

export const declineCaseCommand = createWritingCommand({
  name: 'decline',
  about: `Decline a case and tell the buyer why. It is purged after ${formatDurationInWords(DECLINED_DAYS * DAY_MS)}.`,
  done: 'Declined.',
});

function createWritingCommand({ name, about, done }: WritingCommand): CliCommand {
  return createCommand({
    usage: `cases ${name} ID [--text TEXT|--file FILE] [--seen N]${name === 'decline' ? '' : ' [--offer-call]'}`,
    about,
    options: [
      ...officeOptions,
      ...messageTextOptions,
      seenOption,
      ...(name === 'decline'
        ? []
        : [['--offer-call', 'also offer the call that a Dossier includes'] as const]),
    ],
    operands: 1,
    work: async (values, [id]) => {
      const seen = parseSeenOption(values);
      const access = await readOfficeAccess(values);
      const offersCall = values['offer-call'] === true;
      const reply = { act: name, text: await readMessageText(values), offersCall };
      const { text } = requireValidMessage(reply);
      return await withOfficeLink(access, async (link) => {
        const opened = await openNamedCase(link, id);
        const { facts, now } = opened;
        const isCallSettled = !offersCall || facts.call === 'offered';
        const stateAfter = name === 'message' ? facts.state : caseTransitions[name].to;
        const isSent = findLastOwnMessage(opened)?.text === text && facts.state === stateAfter;
        if (isSent && isCallSettled)
          return buildRepeatReport(facts, 'This is already the last message; nothing was sent.');
        return buildStepReport(await sendReply(link, opened, reply, seen), now, done);
      });
    },
  });
}

export const retainCaseCommand = createCommand({
  usage: `cases retain ID ${KEEP_DAYS.join('|')} [--text REASON|--file FILE] [--shorten] [--seen N]`,
  about: `Set how many days after its delivery a case is kept, and tell the buyer why.
The reason is sent as a message.`,
  options: [
    ...officeOptions,
    ...messageTextOptions,
    [
      '--shorten',
      `keep it for fewer days than now, even if the buyer chose that number;\nat least ${REASON_DAYS} must be left`,
    ],
    seenOption,
  ],
  operands: 2,
  work: async (values, [id, text]) => {
    const days = KEEP_DAYS.find((choice) => String(choice) === text);
    if (days === undefined) throw createUsageFailure(`DAYS must be one of ${KEEP_DAYS.join(', ')}`);
    const seen = parseSeenOption(values);
    const access = await readOfficeAccess(values);
    const reply = { act: 'retain', keepDays: days, text: await readMessageText(values) } as const;
    if (reply.text.trim() === '')
      throw new ProgramError(
        'A reason is required, so nothing was changed. It is sent to the buyer as a message.',
      );
    requireValidMessage(reply);
    return await withOfficeLink(access, async (link) => {
      const opened = await openNamedCase(link, id);
      const { facts, now } = opened;
      if (facts.keep_days === days)
        return buildRepeatReport(facts, `The case is already kept for ${days} days; nothing was sent.`);
      if (days < facts.keep_days && !values.shorten)
        throw new ProgramError(
          `The case is set to be kept for ${facts.keep_days} days, which the buyer may have chosen. To keep it for fewer days, add --shorten.`,
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
