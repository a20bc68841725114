/** Reads the queue of the office, and says what in it is new to the investigator's key. */
import { readSeenMarks, type SeenMarks } from '#desk/keys/seen-file.ts';
import { type DeskCase, type DeskQueue, type DeskQueueQuery, DeskQueueSchema } from '#wire/desk-cases.ts';
import { type CaseReaderParts, toTeamState } from './case-reader.ts';
import { rememberCase } from './known-case.ts';
import { withLocalFaults } from './office-fault.ts';

export interface OfficeQueue extends Omit<DeskQueue, 'cases'> {
  readonly cases: readonly DeskQueueEntry[];
}

export interface DeskQueueEntry extends DeskCase {
  /** `case`: never opened with this key; `answer`, `team`: the buyer or a colleague acted since the last opening. */
  readonly news: 'case' | 'answer' | 'team' | null;
  /** What a colleague did since: handed it to you, took it over from you, or wrote a note. */
  readonly team?: 'handed' | 'taken' | 'note';
}

/** Room for two hundred cases. */
const MAX_QUEUE_BYTES = 1024 * 1024;

export async function readOfficeQueue(
  { signer, key, cases, holder }: CaseReaderParts & { readonly holder: string },
  query: DeskQueueQuery,
): Promise<OfficeQueue> {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const search = new URLSearchParams(Object.fromEntries(texts));
  const path = search.size === 0 ? '/cases' : `/cases?${search}`;
  const queue = await signer.read(DeskQueueSchema, path, MAX_QUEUE_BYTES);
  const marks = await withLocalFaults(() => readSeenMarks(key));
  for (const each of queue.cases) rememberCase(cases, each);
  const toEntry = (each: DeskCase): DeskQueueEntry => {
    const team = findTeamNews(marks, each, holder);
    if (team === undefined) return { ...each, news: findNews(marks, each) };
    return { ...each, news: findNews(marks, each) ?? 'team', team };
  };
  return { ...queue, cases: queue.cases.map(toEntry) };
}

/** The page after an act marks the investigator's own changes as seen, so they are not news. */
function findTeamNews(marks: SeenMarks, each: DeskCase, own: string): DeskQueueEntry['team'] {
  const { id, holder, handed_by: handedBy, taken_from: takenFrom } = each;
  const since = marks.compare(id, toTeamState(each));
  const isHanded = holder === own && handedBy !== null && handedBy !== own;
  if (isHanded && (since.assigned || marks.get(id) === undefined)) return 'handed';
  const isTaken = takenFrom === own && holder !== null && holder !== own && handedBy === null;
  if (isTaken && since.assigned) return 'taken';
  return since.notes ? 'note' : undefined;
}

function findNews(marks: SeenMarks, { id, messages }: DeskCase): 'case' | 'answer' | null {
  const seen = marks.get(id);
  if (seen === undefined) return 'case';
  return seen < messages.buyer ? 'answer' : null;
}
