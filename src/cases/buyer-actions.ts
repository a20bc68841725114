/** What a buyer does in a case without JavaScript: the server seals it with the key that the words open. */
import { ServiceError } from '#platform/errors.ts';
import type { OpenedMessage } from '#seal/case-content.ts';
import type { SealedFileKind } from '#seal/header.ts';
import type { CaseMessage } from '#seal/message.ts';
import type { OpenedSealedFile } from '#seal/sealed-file.ts';
import { sealCaseMessage } from '#seal/sealed-message.ts';
import { computeNextSeq } from '#seal/thread.ts';
import { deriveWordKeys, parseWords } from '#seal/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { type DecryptedCase, openAttachedFile, openSealedCase } from './decrypted-case.ts';
import { addCaseMessage } from './messages.ts';
import { readCaseForBuyer, requireCaseByLookup, type SealedCase } from './sealed-case.ts';

export interface BuyerCase {
  /** In normal form, however they were typed. */
  readonly words: string;
  readonly file: SealedCase;
  readonly opened: DecryptedCase;
}

/** The words stay in memory and are never stored. */
export async function openCaseWithWords(
  services: Pick<Services, 'clock' | 'store'>,
  typed: string,
): Promise<BuyerCase> {
  const words = parseWords(typed);
  const { identity, lookupHash } = await deriveWordKeys(words);
  const record = await requireCaseByLookup(services, lookupHash);
  const file = await readCaseForBuyer(services, record, services.clock.now());
  return { words, file, opened: await openSealedCase(file, identity) };
}

/** What the page showed when the message was written. */
export interface ShownThread {
  /** The number that the message would have got. */
  readonly seq: number;
  /** The number of messages from the desk. */
  readonly seen: number;
}

/** A form sent twice adds one message; if another message took its number, it gets the next one. */
export async function addBuyerMessage(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyerCase,
  message: CaseMessage,
  shown: ShownThread,
): Promise<Case> {
  const { record, key, messages } = opened;
  const earlier = messages.find(({ by, seq }) => by === 'buyer' && seq === shown.seq);
  if (isSameMessage(earlier, message)) return record;
  const seen = Math.min(shown.seen, computeNextSeq(messages, 'desk'));
  return await addCaseMessage(services, record.id, {
    by: 'buyer',
    ...(await sealCaseMessage(key, messages, { by: 'buyer', message, seen })),
    ...(message.call_windows.length > 0 ? { callAct: 'book' } : {}),
  });
}

export async function openFileWithWords(
  services: Pick<Services, 'clock' | 'store'>,
  words: string,
  position: { readonly kind: SealedFileKind; readonly seq: number },
): Promise<OpenedSealedFile> {
  const { file, opened } = await openCaseWithWords(services, words);
  const attached = await openAttachedFile(file, opened.key, position.kind, position.seq);
  if (!attached) throw new ServiceError('not_found');
  return attached;
}

function isSameMessage(
  stored: OpenedMessage<number> | undefined,
  { text, call_windows: windows }: CaseMessage,
): boolean {
  if (!stored || !('content' in stored.said)) return false;
  const { content } = stored.said;
  return content.text === text && JSON.stringify(content.call_windows) === JSON.stringify(windows);
}
