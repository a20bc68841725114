/** The queue as an investigator sees it: groups by due time, the case to open next, and whose cases they are. */
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { type DeskQueueQuery, MAX_COUNTED } from '#wire/desk-cases.ts';
import { DUE_GROUPS, findDueGroup, isEndedCase } from './due-clock.ts';

/** The office sorts by due time; groups without a case are left out. */
export function groupCases(cases: readonly DeskQueueEntry[], now: number) {
  const open = cases.filter((each) => !isEndedCase(each));
  const groups = DUE_GROUPS.map((name) => ({
    name,
    cases: open.filter((each) => findDueGroup(each, now) === name),
  }));
  const ended = Object.groupBy(cases.filter(isEndedCase), (each) =>
    each.held_until === null ? 'Ended' : 'On hold',
  );
  const others = (['On hold', 'Ended'] as const).map((name) => ({ name, cases: ended[name] ?? [] }));
  return [...groups, ...others].filter((group) => group.cases.length > 0);
}

/** Leads to the new part of the conversation, if any. */
export function toOpeningPath({ id, news }: Pick<DeskQueueEntry, 'id' | 'news'>): string {
  return news === null || news === 'case' ? `/cases/${id}` : `/cases/${id}#new`;
}

/** The first own or unassigned case by due time, except `after` and those that wait for the buyer. */
export function pickNextCase(
  cases: readonly DeskQueueEntry[],
  holder: string,
  after?: string,
): DeskQueueEntry | null {
  const mine = cases.filter(
    (each) => !isEndedCase(each) && each.id !== after && !isAssignedToOther(each, holder),
  );
  return mine.find(({ state }) => state !== 'awaiting_client') ?? null;
}

/** A colleague's case stays in the list, but is not offered as the next one. */
export function isAssignedToOther(
  { acts, holder }: Pick<DeskQueueEntry, 'acts' | 'holder'>,
  own: string,
): boolean {
  // The cases of a colleague who has left are free: the service lets others take them.
  return holder !== null && holder !== own && !acts.includes('take');
}

/** The office counts no further than `MAX_COUNTED`. */
export function formatCount(count: number): string {
  return count < MAX_COUNTED ? `${count}` : `${MAX_COUNTED}+`;
}

export const LISTED_VIEWS = ['open', 'mine', 'new', 'late', 'unassigned', 'ended', 'purges'] as const;
export type ListedView = (typeof LISTED_VIEWS)[number];

export interface QueueChoice {
  readonly view: ListedView;
  readonly tier: string | null;
  readonly after?: string;
}

/** The most cases that the office returns at once. */
export const PAGE_CASES = 200;
const MAX_CURSOR = 200;
const MAX_TIER = 40;

export function toQueuePath({ view, tier, after }: QueueChoice): string {
  const query = new URLSearchParams();
  if (view !== 'open') query.set('view', view);
  if (tier !== null) query.set('tier', tier);
  if (after !== undefined) query.set('after', after);
  return query.size === 0 ? '/queue' : `/queue?${query}`;
}

export function parseQueueChoice(query: URLSearchParams): QueueChoice {
  const view = LISTED_VIEWS.find((name) => name === query.get('view')) ?? 'open';
  const tier = query.get('tier')?.slice(0, MAX_TIER) || null;
  const after = query.get('after')?.slice(0, MAX_CURSOR) || undefined;
  return { view, tier, ...(after === undefined ? {} : { after }) };
}

/** Only the desk knows what is new for this key, so the office is asked for all open cases. */
export function toQueueQuery({ view, tier, after }: QueueChoice): DeskQueueQuery {
  return {
    view: view === 'new' ? 'open' : view,
    limit: PAGE_CASES,
    ...(tier === null ? {} : { tier }),
    ...(after === undefined ? {} : { after }),
  };
}
