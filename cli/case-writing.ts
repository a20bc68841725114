/** Writes to the buyer with the desk key: a question, a message, or why the case is declined. */
import { messageKinds, type OpenedCase, openCaseFile } from '#cases/decrypted-case.ts';
import type { SealedMessage } from '#cases/messages.ts';
import type { CaseFile } from '#cases/sealed-case.ts';
import { EXIT } from '#platform/errors.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { type Message, validateMessage } from '#seal/message.ts';
import { caseJson } from './case-facts.ts';
import { atCase, bundleOption, resultHelp, resultOf, type Workplace } from './case-workspace.ts';
import { type Command, command } from './command.ts';
import { keyHelp, keyOption, readDeskKey } from './desk-key.ts';
import { Failure } from './failure.ts';
import { textHelp, textOptions, typedText } from './typed-text.ts';

interface Writing {
  readonly name: 'ask' | 'message' | 'decline';
  readonly about: string;
  readonly done: string;
  /** The state that this leads to. */
  readonly state?: 'awaiting_client' | 'declined';
}

export const askBuyer = writing({
  name: 'ask',
  about: 'Ask the buyer something. The case waits for the answer; its clock does not.',
  done: 'Asked.',
  state: 'awaiting_client',
});

export const writeMessage = writing({
  name: 'message',
  about: 'Write to the buyer without asking anything.',
  done: 'Written.',
});

export const declineCase = writing({
  name: 'decline',
  about: 'Decline a case, and tell the buyer why. It is purged after seven days.',
  done: 'Declined.',
  state: 'declined',
});

function writing(kind: Writing): Command {
  const { name, about, done } = kind;
  return command({
    usage: `cases ${name} ID|--bundle FILE --key FILE [--text TEXT|--file FILE]${name === 'decline' ? '' : ' [--offer-call]'}`,
    about,
    help: [
      keyHelp,
      ...textHelp,
      ...(name === 'decline'
        ? []
        : [['--offer-call', 'also offer the call that a Dossier includes'] as const]),
      ...resultHelp,
    ],
    options: {
      ...keyOption,
      ...textOptions,
      ...bundleOption,
      out: { type: 'string' },
      ...(name === 'decline' ? {} : { 'offer-call': { type: 'boolean' } as const }),
    },
    operands: 1,
    work: async (values, [id]) => {
      const place = { id, ...resultOf(values) };
      const identity = await readDeskKey(values.key);
      const message = checked(await typedText(values));
      const offersCall = (values as { 'offer-call'?: boolean })['offer-call'] === true;
      return await atCase(place, async (workplace) => {
        const opened = await openCaseFile(workplace.file, identity);
        const { record } = opened;
        const offered = !offersCall || record.call === 'offered';
        if (isSaid(opened, message, kind) && offered && place.bundle === undefined)
          return {
            text: 'This is the last message already; nothing was written.\n',
            json: { case: caseJson(record, workplace.now()), repeated: true },
          };
        const moved = await workplace.write(
          await sealed(workplace, opened, message, { ...kind, offersCall }),
        );
        return workplace.report(moved, done);
      });
    },
  });
}

async function sealed(
  { file }: Pick<Workplace, 'file'>,
  { key }: OpenedCase,
  message: Message,
  { name, offersCall }: Pick<Writing, 'name'> & { readonly offersCall: boolean },
): Promise<SealedMessage> {
  const seq = nextSeq(file);
  return {
    by: 'desk',
    seq,
    sealed: await sealEnvelope(key, { kind: messageKinds.desk, seq }, message),
    ...(name === 'message' ? {} : { act: name }),
    ...(offersCall ? { callAct: 'offer' } : {}),
  };
}

function nextSeq({ objects }: CaseFile): number {
  return objects.filter(({ kind }) => kind === messageKinds.desk).length;
}

/** A command that is given again, because its answer got lost, writes once. */
function isSaid({ messages, record }: OpenedCase, { text }: Message, { state }: Writing): boolean {
  const last = messages.at(-1);
  return last?.by === 'desk' && last.text === text && (state === undefined || record.state === state);
}

function checked(text: string): Message {
  const result = validateMessage({ text, call_windows: [] });
  if ('message' in result) return result.message;
  throw new Failure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT.failure);
}
