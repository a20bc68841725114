/** Handlers for the queue: ask the office, and assemble what the page shows. */
import { type DeskAnswer, isDeskPath } from '#desk/loopback/page-route.ts';
import { listEndingCases, listNews } from '#desk/model/case-news.ts';
import {
  formatCount,
  PAGE_CASES,
  parseQueueChoice,
  pickNextCase,
  type QueueChoice,
  toQueueQuery,
} from '#desk/model/case-queue.ts';
import { type DeskWork, OPEN_QUERY, type WorkRequest } from '#desk/model/desk-work.ts';
import type { WholeQueue } from '#desk/model/office-watch.ts';
import type { DeskQueueEntry, OfficeQueue } from '#desk/office/queue-reader.ts';
import { DAY_MS } from '#platform/durations.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { CaseListView } from './case-list.ts';
import { renderQueuePage } from './queue-page.ts';
import { renderOpening } from './search-handlers.ts';

export async function answerQueue({ query, desk, visit }: WorkRequest): Promise<DeskAnswer> {
  const choice = parseQueueChoice(query);
  const open = await desk.readOpenQueue();
  const chosen = await readChosen(desk, choice, open);
  await desk.countWaiting();
  const now = desk.watch.readClock();
  const since = now - DAY_MS;
  const nothing = { ...open, cases: [], next: null };
  const lastDay = { changed_since: toIsoTime(since), limit: PAGE_CASES };
  const changed = await desk.watch.readWholeQueue(lastDay, nothing);
  const ended = await desk.watch.readQueue(toQueueQuery({ view: 'ended', tier: null }), nothing);
  // Requested separately, because none of these may be missed among many ended cases.
  const purges = await desk.watch.readQueue(toQueueQuery({ view: 'purges', tier: null }), nothing);
  const { gists } = desk.opened;
  const list = {
    ...(await buildListView(desk, choice, open, chosen)),
    opening: renderOpening(desk.listClosedOwn(open.all).length, visit),
  };
  const main = renderQueuePage({
    list,
    first: pickNextCase(open.all, desk.office.holder),
    since,
    news: listNews(changed.all, { since, now, staff: desk.staff, gists }),
    calls: listCalls(desk, now),
    ending: listEndingCases([...ended.cases, ...purges.cases], { now, staff: desk.staff }),
  });
  return { page: { title: toTitle(list), nav: 'queue', main } };
}

async function readChosen(desk: DeskWork, choice: QueueChoice, open: WholeQueue): Promise<OfficeQueue> {
  const { view, tier } = choice;
  const query = toQueueQuery(choice);
  // Only the desk knows what is new to this key.
  if (view === 'new')
    return {
      ...open,
      cases: open.all.filter((each) => isNew(each) && (tier === null || each.tier === tier)),
      next: null,
    };
  if (JSON.stringify(query) === JSON.stringify(OPEN_QUERY)) return open;
  return await desk.watch.readQueue(query, recallChosen(desk, choice, open));
}

/** Used while the office is away: chooses among the cases that are known to be open. */
function recallChosen(desk: DeskWork, { view, tier }: QueueChoice, open: WholeQueue): OfficeQueue {
  const isChosen = ({ holder, late, purge_by: purgedBy }: DeskQueueEntry): boolean => {
    if (view === 'open') return true;
    if (view === 'mine') return holder === desk.office.holder;
    if (view === 'late') return late;
    return view === 'unassigned' ? holder === null : view === 'purges' && purgedBy !== null;
  };
  const cases = open.all.filter((each) => isChosen(each) && (tier === null || each.tier === tier));
  return { ...open, cases, next: null };
}

function isNew({ news }: DeskQueueEntry): boolean {
  return news !== null;
}

async function buildListView(
  desk: DeskWork,
  choice: QueueChoice,
  open: WholeQueue,
  chosen: OfficeQueue,
): Promise<CaseListView> {
  const { counts } = open;
  return {
    cases: chosen.cases,
    all: open.all,
    counts: {
      open: formatCount(counts.open),
      mine: formatCount(counts.mine),
      new: `${open.all.filter(isNew).length}${open.isWhole ? '' : '+'}`,
      late: formatCount(counts.late),
      unassigned: formatCount(counts.unassigned),
    },
    view: choice.view,
    tier: choice.tier,
    tiers: [...new Set(open.all.map(({ tier }) => tier))].toSorted(),
    next: chosen.next,
    now: desk.watch.readClock(),
    staff: desk.staff,
    gists: desk.opened.gists,
    drafts: await desk.office.drafts.readTimes(),
  };
}

/** The list beside a case has every open case. */
export async function readListBeside(desk: DeskWork): Promise<CaseListView> {
  const open = await desk.readOpenQueue();
  return await buildListView(desk, { view: 'open', tier: null }, open, open);
}

/** Contains counts, never a case, because browsers store titles. */
export function toTitle({ counts }: Pick<CaseListView, 'counts'>): string {
  return `Desk: ${counts.new} new, ${counts.late} late`;
}

function listCalls(desk: DeskWork, now: number) {
  return [...desk.opened.gists]
    .flatMap(([id, { callAt, buyer }]) => {
      const facts = desk.opened.get(id)?.opened.facts;
      return callAt === null || callAt < now - DAY_MS / 24 || !facts || facts.call !== 'booked'
        ? []
        : [{ id, at: callAt, buyer }];
    })
    .toSorted((a, b) => a.at - b.at);
}

/** Accepts the people that the investigator was shown. */
export async function answerPeopleConfirmed({ desk, form }: WorkRequest): Promise<DeskAnswer> {
  const shown = form.getAll('person').filter((value) => typeof value === 'string');
  await desk.office.confirmPeople(shown);
  desk.say({ strong: 'Confirmed.', text: 'From now on, notes are sealed to the people you confirmed.' });
  const back = form.get('back');
  return { redirect: typeof back === 'string' && isDeskPath(back) ? back : '/queue' };
}
