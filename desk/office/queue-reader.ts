/** Reads the queue of the office, and says what in it is new to the investigator's key. */
import { isNewToKey, readSeenMarks, type SeenMarks } from '#desk/keys/seen-file.ts';
import { type DeskCase, type DeskQueue, type DeskQueueQuery, DeskQueueSchema } from '#wire/desk-cases.ts';
import type { CaseReaderParts } from './case-reader.ts';
import { rememberCase } from './known-case.ts';
import { withLocalFaults } from './local-fault.ts';
import { parseOfficeAnswer } from './office-answer.ts';

export interface OfficeQueue extends Omit<DeskQueue, 'cases'> {
  readonly cases: readonly DeskQueueEntry[];
}

export interface DeskQueueEntry extends DeskCase {
  /** `case`: never opened with this key; `answer`: the buyer has written since the last opening. */
  readonly news: 'case' | 'answer' | null;
}

/** Two hundred cases. */
const MAX_QUEUE_BYTES = 1024 * 1024;

export async function readOfficeQueue(
  { signer, key, cases }: CaseReaderParts,
  query: DeskQueueQuery,
): Promise<OfficeQueue> {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])));
  const path = pairs.length === 0 ? '/cases' : `/cases?${search}`;
  const answer = await signer.send({ method: 'GET', path, maxBytes: MAX_QUEUE_BYTES });
  const queue = parseOfficeAnswer(DeskQueueSchema, answer);
  const marks = await withLocalFaults(() => readSeenMarks(key));
  for (const each of queue.cases) rememberCase(cases, each);
  return { ...queue, cases: queue.cases.map((each) => ({ ...each, news: findNews(marks, each) })) };
}

function findNews(marks: SeenMarks, { id, messages }: DeskCase): DeskQueueEntry['news'] {
  if (!isNewToKey(marks, id, messages.buyer)) return null;
  return marks.get(id) === undefined ? 'case' : 'answer';
}
