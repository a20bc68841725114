/** Plain reading of a case, for programs that cannot open it themselves: needs the words, and a case sealed here. */

import { ServiceError } from '#platform/errors.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { computeNextSeq } from '#seal/case/thread.ts';
import { deriveWordLookup, parseWords, type WordLookup } from '#seal/core/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import type { IdempotentRequest } from '#store/clients/idempotent-request.ts';
import { createFieldProblem, toWordsError } from '../intake/field-problems.ts';
import { readCaseForBuyer } from '../sealing/sealed-case.ts';
import { addBuyerMessage, type BuyerCase, type CaseWithWords } from './buyer-actions.ts';

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
