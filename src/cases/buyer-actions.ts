/** What a buyer does to an open case without a script: everything is sealed here, with the key that the words gave. */
import { ServiceError } from '#platform/errors.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import type { Message } from '#seal/message.ts';
import type { OpenedFile } from '#seal/sealed-file.ts';
import { parseWords, wordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { messageKinds, type OpenedCase, openCaseFile, openFileOf } from './decrypted-case.ts';
import { addMessage } from './messages.ts';
import { type CaseFile, findByLookup, readCaseFile } from './sealed-case.ts';

export interface BuyersCase {
  /** As they are written, however they were typed. */
  readonly words: string;
  readonly file: CaseFile;
  readonly opened: OpenedCase;
}

/** The words are used here, in memory, and nowhere else. */
export async function openWithWords(services: Pick<Services, 'store'>, typed: string): Promise<BuyersCase> {
  const words = parseWords(typed);
  const { identity, lookupHash } = await wordKeys(words);
  const file = await readCaseFile(services, await findByLookup(services, lookupHash));
  return { words, file, opened: await openCaseFile(file, identity) };
}

/** A form that comes twice says the same at the same place; one that was overtaken goes to the next. */
export async function writeMessage(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyersCase,
  message: Message,
  seq: number,
): Promise<Case> {
  const { record, key, messages } = opened;
  const own = messages.filter(({ by }) => by === 'buyer');
  if (seq < own.length && isSame(own[seq], message)) return record;
  const place = { kind: messageKinds.buyer, seq: own.length } as const;
  return await addMessage(services, record.id, {
    by: 'buyer',
    seq: own.length,
    sealed: await sealEnvelope(key, place, message),
    ...(message.call_windows.length > 0 ? { callAct: 'book' } : {}),
  });
}

export async function fileWithWords(
  services: Pick<Services, 'store'>,
  words: string,
  place: { readonly kind: 'inquiry-file.v1' | 'finding-file.v1'; readonly seq: number },
): Promise<OpenedFile> {
  const { file, opened } = await openWithWords(services, words);
  const found = await openFileOf(file, opened.key, place.kind, place.seq);
  if (!found) throw new ServiceError('not_found');
  return found;
}

function isSame(written: Message | undefined, { text, call_windows: windows }: Message): boolean {
  return written?.text === text && JSON.stringify(written.call_windows) === JSON.stringify(windows);
}
