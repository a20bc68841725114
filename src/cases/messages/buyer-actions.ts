/** What a buyer does in a case with only the words: the server opens it in memory, and seals what is written. */
import { ServiceError } from '#platform/errors.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { OpenedMessage } from '#seal/case/case-content.ts';
import type { FilePlace } from '#seal/case/case-files.ts';
import { type CaseMessage, validateCaseMessage } from '#seal/case/message.ts';
import { computeNextSeq, type ThreadPart } from '#seal/case/thread.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { deriveWordLookup, parseWords, type WordLookup } from '#seal/core/words.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import type { IdempotentRequest } from '#store/idempotent-request.ts';
import { recordOpening } from '../desk/week-counts.ts';
import { createFieldProblem, toWordsError } from '../intake/field-problems.ts';
import { readCaseForBuyer, requireCaseByLookup, type SealedCase } from '../sealing/sealed-case.ts';
import {
  type DecryptedCase,
  type OpeningOptions,
  openAttachedFile,
  openCaseWithKey,
  openSealedCase,
} from './decrypted-case.ts';
import { addCaseMessage } from './messages.ts';

export interface BuyerCase {
  /** In normal form, however they were typed. */
  readonly words: string;
  readonly file: SealedCase;
  readonly opened: DecryptedCase;
}

/** A case that was found with its words, but not opened. */
export interface CaseWithWords {
  readonly words: string;
  readonly identity: AgeIdentity;
  readonly file: SealedCase;
}

export async function openFoundCase(
  services: Pick<Services, 'sealing' | 'store'>,
  { words, identity, file }: CaseWithWords,
  options: OpeningOptions = {},
): Promise<BuyerCase> {
  const opened = await openSealedCase(file, identity, services.sealing, options);
  await recordOpening(services, file.record, file.objects);
  return { words, file, opened };
}

/** The same case after an act, with its newest messages; what was opened before is not opened again. */
export async function refreshBuyerCase(
  services: Pick<Services, 'clock' | 'sealing' | 'store'>,
  { words, opened: before }: BuyerCase,
): Promise<BuyerCase> {
  const record = await requireCaseByLookup(services, before.record.lookup_hash);
  const file = await readCaseForBuyer(services, record, services.clock.now());
  const options = { before: before.opened, newer: 0 };
  const opened = await openCaseWithKey(file, before.key, services.sealing, options);
  return { words, file, opened };
}

/** The words stay in memory and are never stored. */
export async function findCaseWithWords(
  services: Pick<Services, 'clock' | 'store'>,
  typed: string,
): Promise<CaseWithWords> {
  const words = parseWords(typed);
  const { identity, lookupHash } = deriveWordLookup(words);
  const record = await requireCaseByLookup(services, lookupHash);
  return { words, identity, file: await readCaseForBuyer(services, record, services.clock.now()) };
}

/** What the writer of a message had been shown when writing it. */
export interface ShownThread {
  /** The number that the message would have had. */
  readonly seq: number;
  /** The number of messages from the desk. */
  readonly seen: number;
}

/** A form sent twice adds one message; if another message took its number, it gets the next one. */
export async function addBuyerMessage(
  services: Pick<Services, 'clock' | 'sealing' | 'store'>,
  { opened }: BuyerCase,
  message: CaseMessage,
  shown: ShownThread,
  repeat: IdempotentRequest | null = null,
): Promise<Case> {
  const { record, key, messages } = opened;
  const earlier = messages.find(({ by, seq }) => by === 'buyer' && seq === shown.seq);
  if (isSameMessage(earlier, message)) return record;
  const seen = Math.min(shown.seen, computeNextSeq(messages, 'desk'));
  const thread = messages.map(({ by, seq, hash, claim }): ThreadPart => ({ by, seq, hash, claim }));
  return await addCaseMessage(services, record.id, {
    by: 'buyer',
    ...(await services.sealing.sealCaseMessage(key, thread, { by: 'buyer', message, seen })),
    ...(message.call_windows.length > 0 ? { callAct: 'propose' } : {}),
    repeat,
  });
}

export async function openFoundFile(
  { sealing }: Pick<Services, 'sealing'>,
  { identity, file }: CaseWithWords,
  position: FilePlace,
): Promise<OpenedSealedFile> {
  const key = await sealing.openCaseKey(file.caseKey, identity, file.record.lookup_hash);
  const attached = await openAttachedFile(file, key, position, sealing).catch((error: unknown) => {
    throw error instanceof SealError ? new ServiceError('file_unreadable', { cause: error }) : error;
  });
  if (!attached) throw new ServiceError('not_found');
  return attached;
}

function isSameMessage(
  stored: OpenedMessage<number> | undefined,
  { text, call_windows: windows, call_number: number }: CaseMessage,
): boolean {
  if (!stored || !('content' in stored.said)) return false;
  const { content } = stored.said;
  return (
    content.text === text &&
    content.call_number === number &&
    JSON.stringify(content.call_windows) === JSON.stringify(windows)
  );
}

/** Words of another case give the same error as words of none. For a case sealed elsewhere, no words are read. */
export async function requireServerSealedCase(
  services: Pick<Services, 'clock' | 'store'>,
  record: Case,
  typed: string,
): Promise<CaseWithWords> {
  if (record.sealed_by !== 'server') throw new ServiceError('case_sealed_elsewhere');
  const { words, identity, lookupHash } = deriveTypedWords(typed);
  if (!isEqualInConstantTime(lookupHash, record.lookup_hash))
    throw new ServiceError('case_unknown', { detail: 'These words do not open this case.' });
  return { words, identity, file: await readCaseForBuyer(services, record, services.clock.now()) };
}

function deriveTypedWords(typed: string): WordLookup & Pick<CaseWithWords, 'words'> {
  try {
    const words = parseWords(typed);
    return { words, ...deriveWordLookup(words) };
  } catch (error) {
    throw toWordsError(error, '/words');
  }
}

/** The message counts as written by a buyer who has read everything that is in the case now. */
export async function addPlainMessage(
  services: Pick<Services, 'clock' | 'sealing' | 'store'>,
  buyerCase: BuyerCase,
  content: unknown,
  repeat: IdempotentRequest | null,
): Promise<Case> {
  const checked = validateCaseMessage(content, { now: services.clock.now() });
  if ('errors' in checked) throw createFieldProblem(checked.errors);
  const { messages } = buyerCase.opened;
  const shown = { seq: computeNextSeq(messages, 'buyer'), seen: computeNextSeq(messages, 'desk') };
  return await addBuyerMessage(services, buyerCase, checked.message, shown, repeat);
}
