/** The list of cases: views with their counts, a filter, and rows in groups by due time. */
import type { DraftTimes } from '#desk/keys/draft-file.ts';
import { type DeskStaff, nameAssignee } from '#desk/model/assignee-name.ts';
import type { CaseGist } from '#desk/model/case-gist.ts';
import {
  groupCases,
  LISTED_VIEWS,
  type ListedView,
  toOpeningPath,
  toQueuePath,
} from '#desk/model/case-queue.ts';
import { formatDeskDay, formatDeskTime } from '#desk/model/desk-time.ts';
import { caseStateNames, isEndedCase } from '#desk/model/due-clock.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import { renderDue } from '../shown-time.ts';

type CountedView = Exclude<ListedView, 'ended' | 'purges'>;

export interface CaseListView {
  readonly cases: readonly DeskQueueEntry[];
  /** All open cases, regardless of the view. */
  readonly all: readonly DeskQueueEntry[];
  readonly counts: Readonly<Record<CountedView, string>>;
  readonly view: ListedView;
  readonly tier: string | null;
  readonly tiers: readonly string[];
  readonly next: string | null;
  readonly now: number;
  readonly staff: DeskStaff;
  readonly gists: ReadonlyMap<string, CaseGist>;
  readonly drafts: DraftTimes;
  /** Offers to open the investigator's own cases. */
  readonly opening?: Html | null;
  readonly current?: string;
}

export function renderCaseList(list: CaseListView): Html {
  const isBeside = list.current !== undefined;
  const title = isBeside ? html`<h2>Queue</h2>` : html`<h1>Queue</h1>`;
  return html`<section class="list" aria-label="Cases">
<div class="list-head">
<div class="list-top">${title}${renderFilter(list)}</div>
${renderViews(list)}
${list.opening ?? null}
</div>
${renderGroups(list, isBeside)}
${list.cases.length === 0 ? renderEmptyView(list) : renderListFoot(list)}
</section>`;
}

const viewNames: Readonly<Record<ListedView, string>> = {
  open: 'Open',
  mine: 'Mine',
  new: 'New',
  late: 'Late',
  unassigned: 'Unassigned',
  ended: 'Ended',
  purges: 'To be purged',
};

/** The key `v` opens the next view. */
function renderViews({ view, tier, counts }: CaseListView): Html {
  const counted = LISTED_VIEWS.filter((name): name is CountedView => name !== 'ended' && name !== 'purges');
  const following = counted[(LISTED_VIEWS.indexOf(view) + 1) % LISTED_VIEWS.length] ?? 'open';
  const links = counted.map((name) => {
    const key = name === following ? 'v' : null;
    const current = name === view ? 'true' : null;
    return html`<li><a href="${toQueuePath({ view: name, tier })}" aria-keyshortcuts="${key}" aria-current="${current}">${viewNames[name]} <span class="count">${counts[name]}</span></a></li>`;
  });
  return html`<nav class="views" aria-label="Views"><ul>${links}</ul></nav>`;
}

function renderFilter({ view, tier, tiers }: CaseListView): Html {
  const options = tiers.map((name) => html`<option ?selected="${name === tier}">${name}</option>`);
  const views = LISTED_VIEWS.map(
    (name) => html`<option value="${name}" ?selected="${name === view}">${viewNames[name]}</option>`,
  );
  return html`<details class="drop filter"><summary class="button plain little" aria-keyshortcuts="x">Filter</summary>
<form class="drop-box" method="get" action="/queue">
<div class="field"><label for="tier">Tier</label><select class="input" id="tier" name="tier"><option value="">Any</option>${options}</select></div>
<div class="field"><label for="view">Show</label><select class="input" id="view" name="view">${views}</select></div>
<div class="acts"><button class="button quiet little" type="submit">Show</button></div>
</form></details>`;
}

function renderGroups(list: CaseListView, isBeside: boolean): Html[] {
  const groups = groupCases(list.cases, list.now);
  return groups.map(({ name, cases }, index) => {
    const goesOn = list.next !== null && index === groups.length - 1;
    const inner = html`${name} <span class="count">${cases.length}${goesOn ? '+' : ''}</span>`;
    const head = isBeside ? html`<h3 class="group">${inner}</h3>` : html`<h2 class="group">${inner}</h2>`;
    return html`${head}
<ol class="rows">${cases.map((each) => renderCaseRow(each, list))}</ol>
`;
  });
}

type RowList = Pick<CaseListView, 'now' | 'staff' | 'gists' | 'drafts' | 'current'>;

export function renderCaseRow(each: DeskQueueEntry, list: RowList): Html {
  const { now, staff, current } = list;
  const name = nameCase(each.id);
  const isCurrent = each.id === current ? 'true' : null;
  return html`<li><a class="row${each.news === null ? '' : ' new'}" id="${toRowId(each.id)}" href="${toOpeningPath(each)}" aria-current="${isCurrent}">
<span class="name"><b>${name}</b> <span class="tier">${each.tier}</span></span>
${renderRowClock(each, now)}
<span class="who">${nameAssignee(each.holder, staff)}</span>
<span class="gist">${renderTag(each)}${renderGist(each, list)}</span>
</a></li>`;
}

/** An address with this fragment leads to the row, and keyboard navigation continues from there. */
export function toRowId(id: string): string {
  return `case-${id}`;
}

function renderRowClock(each: DeskQueueEntry, now: number): Html {
  if (!isEndedCase(each)) {
    return html`<span class="due">${renderDue(each, now, 'in *')}</span> <time datetime="${each.due_at}">${formatDeskTime(Date.parse(each.due_at), now)}</time>`;
  }
  const state = html`<span class="due">${caseStateNames[each.state]}</span>`;
  if (each.purge_at === null) return state;
  return html`${state} <time datetime="${each.purge_at}">purged ${formatDeskDay(Date.parse(each.purge_at), now)}</time>`;
}

const teamTags = { handed: 'Handed to you', taken: 'Taken over', note: 'New note' } as const;

function renderTag({ news, team, purge_by: asked }: DeskQueueEntry): Html | null {
  if (asked !== null) return html`<span class="tag">Purge requested</span>`;
  const tags = [
    ...(news === 'case' ? ['New case'] : news === 'answer' ? ['New answer'] : []),
    ...(team === undefined ? [] : [teamTags[team]]),
  ];
  return tags.length === 0 ? null : html`${tags.map((tag) => html`<span class="tag">${tag}</span> `)}`;
}

function renderGist(each: DeskQueueEntry, list: RowList): Html {
  const gist = list.gists.get(each.id);
  const draftAt = list.drafts.get(each.id);
  const draft = draftAt === undefined ? '' : `Draft ${formatDeskTime(draftAt, list.now)}.`;
  const said = [describeRowState(each, list), draft].filter(Boolean).join(' ');
  const state = said === '' ? null : html`<span class="state">${said}</span> `;
  const danger = gist?.isInDanger ? html`<span class="late">In danger now.</span> ` : null;
  if (gist) return html`<span>${danger}${state}${gist.question}</span>`;
  const bar = html`<span class="bar"><span class="unseen">${describeBar(each)}</span></span>`;
  return said === '' ? bar : html`<span>${state}</span>${bar}`;
}

/** Why the row shows a bar instead of the question. */
export function describeBar({ news }: Pick<DeskQueueEntry, 'news'>): string {
  return news === 'case' ? 'not opened yet' : 'not opened since you unlocked the desk';
}

/** Describes how the case stands, unless a tag or the row's clock shows it. */
function describeRowState(each: DeskQueueEntry, { now, gists, staff }: RowList): string {
  if (each.purge_by !== null && each.purge_at !== null)
    return `By ${nameAssignee(each.purge_by, staff)}, for ${formatDeskTime(Date.parse(each.purge_at), now)}.`;
  if (each.held_until !== null)
    return `Can be taken back until ${formatDeskTime(Date.parse(each.held_until), now)}.`;
  if (each.news !== null || isEndedCase(each)) return '';
  if (each.state === 'awaiting_client') return 'Waiting for the buyer.';
  const callAt = gists.get(each.id)?.callAt;
  if (callAt) return `Call ${formatDeskTime(callAt, now)}.`;
  return each.call === 'proposed' ? 'The buyer proposed times for the call.' : '';
}

function renderEmptyView({ view, tier, counts }: CaseListView): Html {
  if (tier !== null)
    return html`<div class="empty"><p class="title">No ${tier} here</p><p><a href="${toQueuePath({ view, tier: null })}">Show every tier</a>.</p></div>`;
  if (view === 'open')
    return html`<div class="empty"><p class="title">Nothing is open</p><p>New cases appear here when they arrive. <a href="${toQueuePath({ view: 'ended', tier })}">Show ended cases</a>.</p></div>`;
  const open =
    counts.open === '0'
      ? null
      : html`<p><a href="${toQueuePath({ view: 'open', tier })}">${counts.open} open</a> in all.</p>`;
  return html`<div class="empty"><p class="title">${emptyTitles[view]}</p>${open}</div>`;
}

const emptyTitles: Readonly<Record<Exclude<ListedView, 'open'>, string>> = {
  mine: 'No case is assigned to you',
  new: 'You have read everything',
  late: 'Nothing is late',
  unassigned: 'Every case is assigned',
  ended: 'No ended case to show',
  purges: 'No requested purge is pending',
};

function renderListFoot({ view, tier, next }: CaseListView): Html {
  const isEnded = view === 'ended' || view === 'purges';
  if (next !== null)
    return html`<p class="list-foot"><a href="${toQueuePath({ view, tier, after: next })}">${isEnded ? 'More cases' : 'More cases, due later'}</a></p>`;
  if (isEnded) return html`<p class="list-foot">That is all.</p>`;
  return html`<p class="list-foot">That is all. <a href="${toQueuePath({ view: 'ended', tier })}">Ended cases</a></p>`;
}
