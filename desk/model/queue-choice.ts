/** Which part of the queue is shown, as an address of the desk and as a query to the office. */
import type { DeskQueueQuery } from '#wire/desk-cases.ts';

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

/** Ignores unknown values. */
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
