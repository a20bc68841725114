/** Finds a case by its words and opens what was sent: the words themselves stay in this worker. */
import { base64urlnopad } from '@scure/base';
import { openCaseKey } from '#seal/case-key.ts';
import { openEnvelope } from '#seal/envelope.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import { inquiryLines } from '#seal/inquiry-text.ts';
import { SealError } from '#seal/seal-error.ts';
import type { WordKeys } from '#seal/words.ts';
import { Fault } from './fault.ts';
import type { OpenedCase } from './jobs.ts';
import { ask, jsonOf } from './service.ts';
import { keysOf } from './word-keys.ts';

/** The service knows nothing of words, only of what they lead to. */
const UNKNOWN = {
  code: 'case_unknown',
  sentence: 'No case opens with these words. Check each of them, and their order',
  field: 'words',
} as const;

interface SealedCase extends Pick<OpenedCase, 'title' | 'clock' | 'sentences' | 'rows'> {
  readonly case_key: string;
  readonly inquiry: string;
}

export async function openCase(words: string): Promise<OpenedCase> {
  const keys = await keysOf(words);
  const found = await find(keys);
  const { title, clock, sentences, rows } = found;
  return { title, clock, sentences, rows, ...(await contentOf(found, keys)) };
}

async function find({ lookupToken }: WordKeys): Promise<SealedCase> {
  try {
    const answer = await ask('/case/sealed', jsonOf({ lookup_token: lookupToken }));
    return (await answer.json()) as SealedCase;
  } catch (error) {
    throw error instanceof Fault && error.code === UNKNOWN.code ? new Fault(UNKNOWN) : error;
  }
}

/** Where the case stands is told even where what was sent cannot be shown. */
async function contentOf(
  found: SealedCase,
  keys: WordKeys,
): Promise<Pick<OpenedCase, 'inquiry' | 'unreadable'>> {
  try {
    return { inquiry: inquiryLines(await openInquiry(found, keys)), unreadable: null };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { inquiry: [], unreadable: error.message };
  }
}

async function openInquiry(found: SealedCase, { identity, lookupHash }: WordKeys): Promise<Inquiry> {
  const key = await openCaseKey(bytesOf(found.case_key), identity, lookupHash);
  const body = await openEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, bytesOf(found.inquiry));
  // Which service was bought does not matter to a reader.
  const checked = validateInquiry(body, { includesCall: true });
  if ('errors' in checked) throw new SealError('unsupported');
  return checked.inquiry;
}

function bytesOf(text: string): Uint8Array {
  try {
    return base64urlnopad.decode(text);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}
