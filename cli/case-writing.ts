/** Commands that write to the buyer with the desk key: a question, a message, or the reason for declining. */
import type { DecryptedCase } from '#cases/decrypted-case.ts';
import { DECLINED_DAYS } from '#cases/retention.ts';
import { caseTransitions } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import { type CaseMessage, validateCaseMessage } from '#seal/message.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { sealReply, withCaseWorkspace } from './case-workspace.ts';
import { type CliCommand, createCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { officeKeyHelp, officeKeyOptions, readDeskAccess } from './pinning-key.ts';
import { parseSeenOption, requireSeenCount, seenHelp, seenOption } from './seen-option.ts';
import { messageTextHelp, messageTextOptions, readMessageText } from './typed-text.ts';

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
  about: 'Send the buyer a message that asks nothing.',
  done: 'Message sent.',
});

export const declineCaseCommand = createWritingCommand({
  name: 'decline',
  about: `Decline a case and tell the buyer why. It is purged after ${formatDurationInWords(DECLINED_DAYS * DAY_MS)}.`,
  done: 'Declined.',
});

function createWritingCommand(definition: WritingCommand): CliCommand {
  const { name, about, done } = definition;
  return createCommand({
    usage: `cases ${name} ID --key FILE [--text TEXT|--file FILE] [--seen N]${name === 'decline' ? '' : ' [--offer-call]'}`,
    about,
    help: [
      ...officeKeyHelp,
      ...messageTextHelp,
      seenHelp,
      ...(name === 'decline'
        ? []
        : [['--offer-call', 'also offer the call that a Dossier includes'] as const]),
    ],
    options: {
      ...officeKeyOptions,
      ...messageTextOptions,
      ...seenOption,
      ...(name === 'decline' ? {} : { 'offer-call': { type: 'boolean' } as const }),
    },
    operands: 1,
    work: async (values, [id]) => {
      const seenOrNone = parseSeenOption(values);
      const desk = await readDeskAccess(values);
      const message = requireValidMessage(await readMessageText(values));
      const offersCall = (values as { 'offer-call'?: boolean })['offer-call'] === true;
      return await withCaseWorkspace(id, desk, async (workspace) => {
        const { opened } = workspace;
        const { record } = opened;
        const callSettled = !offersCall || record.call === 'offered';
        if (isLastMessage(opened, message, definition) && callSettled)
          return {
            text: 'This is already the last message; nothing was sent.\n',
            json: { case: toCaseRecordJson(record, workspace.now()), repeated: true },
          };
        const seen = requireSeenCount(opened, seenOrNone);
        const changed = await workspace.write({
          ...(await sealReply(workspace, { message, act: name, seen })),
          ...(name === 'message' ? {} : { act: name }),
          ...(offersCall ? { callAct: 'offer' } : {}),
        });
        return buildStepReport(changed, workspace.now(), done);
      });
    },
  });
}

/** Detects a command that is run again because its output was lost. */
function isLastMessage(
  { messages, record }: DecryptedCase,
  { text }: CaseMessage,
  { name }: WritingCommand,
): boolean {
  const last = messages.at(-1);
  if (last?.by !== 'desk' || !('content' in last.said)) return false;
  const stateAfter = name === 'message' ? record.state : caseTransitions[name].to;
  return last.said.content.text === text && record.state === stateAfter;
}

function requireValidMessage(text: string): CaseMessage {
  const result = validateCaseMessage({ text, call_windows: [] });
  if ('message' in result) return result.message;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}
