/** Commands that write to the buyer with the desk key: questions, messages, reasons to decline. */
import { DECLINED_DAYS } from '#cases/ending/retention.ts';
import { caseTransitions } from '#cases/states.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { requireValidMessage } from '#desk/office/case-writer.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';
import { type CliCommand, createCommand, createUsageFailure } from '../command.ts';
import { officeOptions, readOfficeAccess, withOfficeLink } from '../office-link.ts';
import { messageTextOptions, readMessageText } from '../terminal/typed-text.ts';
import { buildRepeatReport, buildStepReport } from './case-facts.ts';
import { openNamedCase, requireNothingLost, withAssigneeNamed } from './office-cases.ts';

const seenOption = [
  '--seen N',
  'how many messages from the buyer you have read, as printed by cases open; required once the buyer has written',
] as const;

function parseSeenOption(seen: string | undefined): number | undefined {
  if (seen === undefined) return undefined;
  if (/^\d{1,3}$/.test(seen) && Number(seen) <= MAX_MESSAGES) return Number(seen);
  throw createUsageFailure(`--seen takes a number from 0 to ${MAX_MESSAGES}`);
}

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
      const seen = parseSeenOption(values.seen);
      const access = await readOfficeAccess(values);
      const offersCall = values['offer-call'] === true;
      const reply = { act: name, text: await readMessageText(values), offersCall };
      const { text } = requireValidMessage(reply);
      return await withOfficeLink(access, async (link) => {
        const opened = await openNamedCase(link, id);
        const { facts, now } = opened;
        const isCallSettled = !offersCall || facts.call === 'offered';
        const stateAfter = name === 'message' ? facts.state : caseTransitions[name].to;
        // The output of an earlier run may have been lost.
        const last = opened.content.messages.at(-1);
        const isLast = last?.by === 'desk' && 'content' in last.said && last.said.content.text === text;
        if (isLast && facts.state === stateAfter && isCallSettled)
          return buildRepeatReport(facts, 'This is already the last message; nothing was sent.');
        requireNothingLost(opened, link.office.key);
        const message = { ...reply, seen: { ...opened.seen, buyer: requireSeenCount(opened, seen) } };
        const send = () => link.office.sendMessage(facts.id, message);
        return buildStepReport(await withAssigneeNamed(link, facts.id, send), now, done);
      });
    },
  });
}

/**
 * Returns how many messages of the buyer the investigator claims to have read. Without `--seen`, only what the desk's
 * earlier messages claimed: the rest may be unread.
 */
function requireSeenCount(opened: DeskOpenedCase, seen: number | undefined): number {
  const stored = opened.seen.buyer;
  if (seen === undefined) {
    if (stored <= countClaimedMessages(opened)) return stored;
    throw new ProgramError(
      'The buyer has written since the last message from the desk, so nothing was sent. Run cases open, and add the --seen that it prints.',
    );
  }
  if (seen <= stored) return seen;
  throw new ProgramError(
    `--seen ${seen} is more than the buyer has written (${stored}), so nothing was sent. If you have read that many, some have been removed since.`,
  );
}

function countClaimedMessages({ content }: DeskOpenedCase): number {
  const claims = content.messages.map(({ by, claim }) =>
    by === 'desk' && typeof claim === 'object' ? claim.seen : 0,
  );
  return Math.max(0, ...claims);
}
