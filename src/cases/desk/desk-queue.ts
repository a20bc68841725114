/** The desk's queue: a page of a view, with the acts allowed in each case and the counts for the whole desk. */
import { MINUTE_MS } from '#platform/durations.ts';
import { type PageRequest, readListPage } from '#platform/page-cursor.ts';
import { messageKinds } from '#seal/case/message.ts';
import { NOTE_KIND } from '#seal/case/note.ts';
import type { Services } from '#services.ts';
import { type Case, findCase } from '#store/cases/cases.ts';
import {
  type CaseChoice,
  countCaseObjects,
  countChoices,
  listCaseIdsByBeginning,
  listCasesByDue,
  listChangedCases,
} from '#store/cases/desk-queue.ts';
import type { Records } from '#store/schema/tables.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import type { DESK_VIEWS, DeskAct } from '#wire/desk-cases.ts';
import { ENDED_STATES, OPEN_STATES } from '../states.ts';
import { type DeskViewer, listDeskActs } from './desk-acts.ts';
import { includePreviousAssignees } from './desk-people.ts';

export type DeskView = (typeof DESK_VIEWS)[number];

/** A change becomes visible when its transaction commits, some time after its timestamp. */
const COMMIT_MS = MINUTE_MS;

export interface DeskQueueRequest extends DeskViewer {
  readonly view?: DeskView | undefined;
  readonly tier?: string | undefined;
  /** Lists what has changed since, whatever the view and the tier, the earliest change first. */
  readonly changedSince?: number | undefined;
  /** Lists the cases whose ids begin with one of these texts, whatever the other filters. */
  readonly beginnings?: readonly string[] | undefined;
  readonly page: PageRequest;
}

const countedKinds = { ...messageKinds, notes: NOTE_KIND } as const;

export interface QueuedCase {
  readonly record: Case;
  readonly messages: Readonly<Record<keyof typeof countedKinds, number>>;
  readonly acts: readonly DeskAct[];
}

/** For the whole desk, by view; up to `MAX_COUNTED`. */
export type DeskCounts = Readonly<Record<Exclude<DeskView, 'ended' | 'purges'>, number>>;

export async function readDeskQueue(
  { clock, store: { records } }: Pick<Services, 'clock' | 'store'>,
  request: DeskQueueRequest,
) {
  const now = clock.now();
  const choice = chooseCases('unassigned', null, now);
  const unassigned = await includePreviousAssignees(records, choice, request.hasLeft);
  const { rows, next } = await listRequestedCases(records, request, unassigned, now);
  return {
    cases: await describeQueuedCases(records, rows, request, now),
    next,
    counts: await countDeskViews(records, request.investigator, unassigned, now),
    now,
  };
}

async function listRequestedCases(
  records: Records,
  { investigator, beginnings, changedSince, tier, view = 'open', page }: DeskQueueRequest,
  unassigned: CaseChoice,
  now: number,
): Promise<{ readonly rows: readonly Case[]; readonly next: string | null }> {
  if (beginnings !== undefined) {
    const ids = await listCaseIdsByBeginning(records, beginnings, now);
    const found = await Promise.all(ids.map((id) => findCase(records, id, now)));
    return { rows: found.filter((record) => record !== undefined), next: null };
  }
  if (changedSince !== undefined)
    return await readListPage(
      page,
      (part) => listChangedCases(records, changedSince - COMMIT_MS, part, now),
      ({ changed_at: changed }) => changed,
    );
  const choice = view === 'unassigned' ? unassigned : chooseCases(view, investigator, now);
  return await readListPage(
    page,
    (part) => listCasesByDue(records, { ...choice, tier }, part, now),
    ({ due_at: due }) => due,
  );
}

/** Without an investigator, `mine` is empty. */
export function chooseCases(view: DeskView, investigator: string | null, now: number): CaseChoice {
  switch (view) {
    case 'open':
      return { states: OPEN_STATES, withOnHold: true };
    case 'mine':
      if (investigator === null) return { states: [] };
      return { states: OPEN_STATES, withOnHold: true, assignee: investigator };
    case 'unanswered':
      return { states: CASE_STATES, awaitingReply: true };
    case 'late':
      return { states: OPEN_STATES, dueBefore: now };
    case 'unassigned':
      return { states: OPEN_STATES, assignee: null };
    case 'ended':
      return { states: ENDED_STATES };
    case 'purges':
      return { states: ENDED_STATES, purgeAsked: true };
  }
}

async function countDeskViews(
  records: Records,
  investigator: string,
  unassigned: CaseChoice,
  now: number,
): Promise<DeskCounts> {
  const choose = (view: DeskView) => chooseCases(view, investigator, now);
  const choices = {
    open: choose('open'),
    mine: choose('mine'),
    unanswered: choose('unanswered'),
    late: choose('late'),
    unassigned,
  };
  return await countChoices(records, choices, now);
}

export async function describeQueuedCases(
  records: Records,
  cases: readonly Case[],
  viewer: DeskViewer,
  now: number,
): Promise<QueuedCase[]> {
  const ids = cases.map(({ id }) => id);
  const counts = await countCaseObjects(records, ids, Object.values(countedKinds));
  return cases.map((record) => describeQueuedCase(record, counts.get(record.id), viewer, now));
}

/** `counts` has the number of the case's objects by kind. */
export function describeQueuedCase(
  record: Case,
  counts: ReadonlyMap<string, number> | undefined,
  viewer: DeskViewer,
  now: number,
): QueuedCase {
  const count = (of: keyof typeof countedKinds) => counts?.get(countedKinds[of]) ?? 0;
  return {
    record,
    messages: { buyer: count('buyer'), desk: count('desk'), notes: count('notes') },
    acts: listDeskActs(record, viewer, now),
  };
}
