/** The queue: the list of cases, and beside it the case to open next and recent events. */
import type { EndingCase, NewsLine } from '#desk/model/case-news.ts';
import { toOpeningPath } from '#desk/model/case-queue.ts';
import { formatDeskDay, formatDeskHour, formatDeskTime } from '#desk/model/desk-time.ts';
import { describeDue } from '#desk/model/due-clock.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import { renderNothingFirst } from '../page-frame.ts';
import { renderAgo, renderDue, renderLength } from '../shown-time.ts';
import { type CaseListView, describeBar, renderCaseList } from './case-list.ts';

export interface QueuePageView {
  readonly list: CaseListView;
  readonly first: DeskQueueEntry | null;
  readonly since: number;
  readonly news: readonly NewsLine[];
  readonly calls: readonly { readonly id: string; readonly at: number; readonly buyer: string }[];
  readonly ending: readonly EndingCase[];
}

export function renderQueuePage(view: QueuePageView): Html {
  return html`<main class="panes" id="main">
${renderCaseList(view.list)}
<div class="pane start">
${view.first ? renderFirstCase(view.first, view.list) : renderNoFirstCase(view.list)}
<div class="start-grid">
${renderNews(view)}
<div>
${renderCalls(view)}
${renderEnding(view)}
</div>
</div>
</div>
</main>`;
}

/** Beside the list, and still closed: opening a case is an act, which is logged. */
export function renderClosedCasePage(first: DeskQueueEntry, list: CaseListView): Html {
  return html`<div class="panes">
${renderCaseList({ ...list, current: first.id })}
<main class="pane start" id="main">
<h1 class="unseen">Next case</h1>
<p class="back"><a href="/queue" aria-keyshortcuts="Escape">Queue</a></p>
${renderFirstCase(first, list)}
</main>
</div>`;
}

function renderFirstCase(first: DeskQueueEntry, list: CaseListView): Html {
  const { now, gists } = list;
  const name = nameCase(first.id);
  const gist = gists.get(first.id);
  const question = gist
    ? html`<p class="ask">${gist.question}</p>`
    : html`<p><span class="bar long"><span class="unseen">${describeBar(first)}</span></span></p>`;
  return html`<section class="first" aria-labelledby="first-name">
<p class="label">Due first, yours or unassigned</p>
<div class="sheet">
<div class="first-head">
<div>
<h2 class="title" id="first-name">${name}</h2>
${renderClock(first, now)}
</div>
<div class="acts main-acts"><a class="button" href="${toOpeningPath(first)}" aria-keyshortcuts="n">Open ${name} <kbd aria-hidden="true">n</kbd></a></div>
</div>
${question}
<p class="small">${describeFirstCase(first, list)}</p>
</div>
</section>`;
}

export function renderClock(each: Pick<DeskQueueEntry, 'due_at'>, now: number): Html {
  return html`<p class="clock"><b>${renderDue(each, now, 'Due in *')}</b> <span>${describeDue(each, now).when}</span></p>`;
}

function describeFirstCase(first: DeskQueueEntry, { now, gists, staff }: CaseListView): Html {
  const others = first.holder === null ? 'unassigned' : 'assigned to a colleague who left';
  const owner = first.holder === staff.holder ? 'yours' : others;
  const isAwaiting = first.unanswered_since !== null && gists.has(first.id);
  return html`${first.tier}, ${owner}.${first.news === 'case' ? ' You have not opened it yet.' : ''}${isAwaiting ? html` The buyer wrote ${renderAgo(Date.parse(first.unanswered_since!), now)}.` : null}`;
}

function renderNoFirstCase({ counts }: CaseListView): Html {
  const text =
    counts.open === '0'
      ? 'No case is open. New cases appear here when they arrive.'
      : 'Every open case is waiting for its buyer or is assigned to a colleague.';
  return renderNothingFirst('Nothing is waiting for you', text);
}

function renderNews({ since, news, list: { now } }: QueuePageView): Html {
  const lines = news.map(({ at, id, path, before, after }) =>
    renderLine(at, formatDeskHour(at), html`${before}<a href="${path}">${nameCase(id)}</a>${after}`),
  );
  const title = html`The last day <span class="count">since ${formatDeskTime(since, now)}</span>`;
  return renderSlip('since', title, lines);
}

function renderCalls({ calls, list: { now } }: QueuePageView): Html | null {
  const lines = calls.map(({ id, at, buyer }) => {
    const text = html`<a href="/cases/${id}">${nameCase(id)}</a>, with ${buyer}, ${formatDeskDay(at, now)}.`;
    return renderLine(at, formatDeskHour(at), text);
  });
  return lines.length === 0 ? null : renderSlip('calls', 'Calls', lines);
}

function renderEnding({ ending, list: { now } }: QueuePageView): Html | null {
  const lines = ending.map(({ id, name, at, askedBy }) => {
    const by = askedBy === null ? null : html`, <b>requested by ${askedBy}</b>`;
    const text = html`<a href="/cases/${id}">${name}</a>, ${renderLength(at, now, 'in *', 'now')}${by}.`;
    return renderLine(at, askedBy === null ? formatDeskDay(at, now) : formatDeskHour(at), text);
  });
  return lines.length === 0 ? null : renderSlip('ends', 'Purged soon', lines);
}

function renderLine(at: number, when: string, text: Html): Html {
  return html`<li><time datetime="${new Date(at).toISOString()}">${when}</time><p>${text}</p></li>`;
}

function renderSlip(id: string, title: Html | string, lines: readonly Html[]): Html {
  return html`<section class="slip" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${lines.length === 0 ? html`<p class="small">Nothing happened.</p>` : html`<ol class="news">${lines}</ol>`}
</section>`;
}
