/** Handlers for searches, by name or id in all cases and by text in opened ones, and for opening one's own cases. */
import type { BrowserVisit, DeskAnswer } from '#desk/loopback/page-route.ts';
import { toQueueQuery } from '#desk/model/case-queue.ts';
import { formatDeskTime } from '#desk/model/desk-time.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import { caseStateNames } from '#desk/model/due-clock.ts';
import { type FoundCase, MAX_OPENED_CASES, toSearchText } from '#desk/model/opened-cases.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { findFault } from '#desk/office/office-fault.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { renderFormToken } from '../page-frame.ts';
import { renderCaseRow } from './case-list.ts';

const MAX_WANTED = 200;
/** More cases than an office has at a time. */
const MAX_SEARCHED = 10_000;
const MAX_SHOWN = 100;

export async function answerSearch({ form, desk, visit }: WorkRequest): Promise<DeskAnswer> {
  const text = form.get('q');
  const wanted = typeof text === 'string' ? text.slice(0, MAX_WANTED) : '';
  const opened = desk.opened.search(wanted);
  const all = await listAllCases(desk);
  const known = new Set(opened.map(({ opened: { facts } }) => facts.id));
  const list = {
    now: desk.watch.readClock(),
    staff: desk.staff,
    gists: desk.opened.gists,
    drafts: await desk.office.drafts.readTimes(),
  };
  const rows = [
    ...opened.map((found) => {
      const { facts } = found.opened;
      return renderOpenedRow(found, all.find(({ id }) => id === facts.id) ?? facts, list.now);
    }),
    ...all
      .filter((each) => !known.has(each.id) && isNamed(each, wanted))
      .map((each) => renderCaseRow(each, list)),
  ];
  const cut = rows.length > MAX_SHOWN ? ` The first ${MAX_SHOWN} are shown.` : '';
  const answer =
    rows.length === 0
      ? html`<div class="empty"><p class="title">Nothing found</p></div>`
      : html`<ol class="rows">${rows.slice(0, MAX_SHOWN)}</ol>`;
  const main = html`<main class="page" id="main"><div class="wrap">
<p class="back"><a href="/queue" aria-keyshortcuts="Escape">Queue</a></p>
<header class="page-head"><h1>Search</h1><p class="small">“${showLine(wanted)}”: ${rows.length} found.${cut} The search covers the names and ids of all cases, and the text of those that you have opened since you unlocked the desk (${list.gists.size}).</p>${renderOpening(desk.listClosedOwn(all).length, visit)}</header>
${answer}
</div></main>`;
  return { page: { title: 'Desk: search', nav: 'queue', main } };
}

/** The office is asked only for lists, because the search text may be a person's name. */
async function listAllCases({ watch }: DeskWork): Promise<readonly DeskQueueEntry[]> {
  const cases: DeskQueueEntry[] = [];
  // Open cases are read last, so that the desk remembers them while the office is away.
  for (const view of ['ended', 'open'] as const)
    await findFault(async () => {
      const query = toQueueQuery({ view, tier: null });
      const { all } = await watch.readWholeQueue(query, undefined, MAX_SEARCHED);
      cases.unshift(...all);
    });
  return cases;
}

/** True if its name contains all words, or its id begins with the text. */
function isNamed({ id }: DeskQueueEntry, wanted: string): boolean {
  const text = toSearchText(wanted);
  const words = text.split(/[\s-]+/).filter(Boolean);
  const name = nameCase(id);
  return (
    words.length > 0 && (words.every((word) => name.includes(word)) || id.toLowerCase().startsWith(text))
  );
}

/** Its state comes from the list: the case may have changed since it was opened. */
function renderOpenedRow({ gist, excerpt }: FoundCase, facts: DeskCase, now: number): Html {
  return html`<li><a class="row" href="/cases/${facts.id}">
<span class="name"><b>${nameCase(facts.id)}</b> <span class="tier">${facts.tier}</span></span>
<span class="due">${caseStateNames[facts.state]}</span> <time datetime="${facts.due_at}">${formatDeskTime(Date.parse(facts.due_at), now)}</time>
<span class="who">${gist.buyer}</span>
<span class="gist"><span>${showLine(excerpt === '' ? gist.question : excerpt)}</span></span>
</a></li>`;
}

/** Opening is logged, so it is offered and never done automatically. */
export function renderOpening(count: number, visit: BrowserVisit): Html | null {
  if (count === 0) return null;
  const what = count === 1 ? 'your case' : `your ${Math.min(count, MAX_OPENED_CASES)} cases`;
  return html`<form class="opening" method="dialog" action="/cases/open">${renderFormToken(visit)}<button class="button quiet little" type="submit">Open ${what} again</button> <span class="small">The log will record this.</span></form>`;
}

/** Does not open cases that were never read, and does not mark news as seen. */
export async function answerOpenOwn({ desk, signal }: WorkRequest): Promise<DeskAnswer> {
  const { all } = await desk.readOpenQueue();
  const faults: string[] = [];
  const closed = desk.listClosedOwn(all).slice(0, MAX_OPENED_CASES);
  for (const { id } of closed) {
    signal.throwIfAborted();
    if (await findFault(() => desk.openUnseen(id))) faults.push(nameCase(id));
  }
  const done = closed.length - faults.length;
  desk.say({
    strong: `${done} of your cases ${done === 1 ? 'is' : 'are'} open.`,
    text: faults.length === 0 ? '' : `Not opened: ${faults.join(', ')}. The page of each case says why.`,
  });
  return { redirect: '/queue' };
}
