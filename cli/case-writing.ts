/** Writes to the buyer with the desk key: a question, a message, or why the case is declined. */
import { type DecryptedCase, openSealedCase } from '#cases/decrypted-case.ts';
import { countMessages, type SealedMessage } from '#cases/messages.ts';
import { DECLINED_DAYS } from '#cases/retention.ts';
import { caseTransitions } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { type CaseMessage, messageKinds, validateCaseMessage } from '#seal/message.ts';
import { toCaseRecordJson } from './case-facts.ts';
import {
  bundleOption,
  type CaseWorkspace,
  parseResultOptions,
  resultBundleHelp,
  withCaseWorkspace,
} from './case-workspace.ts';
import { type CliCommand, createCommand } from './command.ts';
import { deskKeyHelp, deskKeyOption, readDeskKey } from './desk-key.ts';
import { CommandFailure } from './failure.ts';
import { messageTextHelp, messageTextOptions, readMessageText } from './typed-text.ts';

interface Writing {
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

function createWritingCommand(kind: Writing): CliCommand {
  const { name, about, done } = kind;
  return createCommand({
    usage: `cases ${name} ID|--bundle FILE --key FILE [--text TEXT|--file FILE]${name === 'decline' ? '' : ' [--offer-call]'}`,
    about,
    help: [
      deskKeyHelp,
      ...messageTextHelp,
      ...(name === 'decline'
        ? []
        : [['--offer-call', 'also offer the call that a Dossier includes'] as const]),
      ...resultBundleHelp,
    ],
    options: {
      ...deskKeyOption,
      ...messageTextOptions,
      ...bundleOption,
      out: { type: 'string' },
      ...(name === 'decline' ? {} : { 'offer-call': { type: 'boolean' } as const }),
    },
    operands: 1,
    work: async (values, [id]) => {
      const place = { id, ...parseResultOptions(values) };
      const identity = await readDeskKey(values.key);
      const message = requireValidMessage(await readMessageText(values));
      const offersCall = (values as { 'offer-call'?: boolean })['offer-call'] === true;
      return await withCaseWorkspace(place, async (workplace) => {
        const opened = await openSealedCase(workplace.file, identity);
        const { record } = opened;
        const offered = !offersCall || record.call === 'offered';
        if (isLastMessage(opened, message, kind) && offered && place.bundle === undefined)
          return {
            text: 'This is already the last message; nothing was sent.\n',
            json: { case: toCaseRecordJson(record, workplace.now()), repeated: true },
          };
        const moved = await workplace.write(
          await sealDeskMessage(workplace, opened, message, { ...kind, offersCall }),
        );
        return workplace.report(moved, done);
      });
    },
  });
}

async function sealDeskMessage(
  { file }: Pick<CaseWorkspace, 'file'>,
  { key }: DecryptedCase,
  message: CaseMessage,
  { name, offersCall }: Pick<Writing, 'name'> & { readonly offersCall: boolean },
): Promise<SealedMessage> {
  const { desk: seq } = countMessages(file.objects);
  return {
    by: 'desk',
    seq,
    sealed: await sealEnvelope(key, { kind: messageKinds.desk, seq }, message),
    ...(name === 'message' ? {} : { act: name }),
    ...(offersCall ? { callAct: 'offer' } : {}),
  };
}

/** A command that is given again, because its answer got lost, writes once. */
function isLastMessage(
  { messages, record }: DecryptedCase,
  { text }: CaseMessage,
  { name }: Writing,
): boolean {
  const last = messages.at(-1);
  if (last?.by !== 'desk' || !('content' in last.said)) return false;
  const leadsTo = name === 'message' ? record.state : caseTransitions[name].to;
  return last.said.content.text === text && record.state === leadsTo;
}

function requireValidMessage(text: string): CaseMessage {
  const result = validateCaseMessage({ text, call_windows: [] });
  if ('message' in result) return result.message;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}
