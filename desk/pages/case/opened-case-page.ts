/** The page of a case: the list beside it, its clock and acts above, then conversation, reply and all other parts. */
import { nameAssignee } from '#desk/model/assignee-name.ts';
import { listCallTimes } from '#desk/model/call-times.ts';
import { capitalizeName } from '#desk/model/case-gist.ts';
import { isAssignedToOther, pickNextCase, toOpeningPath } from '#desk/model/case-queue.ts';
import { DESK_ZONE, formatTimeInBoth } from '#desk/model/desk-time.ts';
import { caseStateNames, isEndedCase } from '#desk/model/due-clock.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { formatBookedCall, toCallTime } from '#seal/case/booked-call.ts';
import { buildCallPlan, type CallPlan } from '#seal/case/call-plan.ts';
import { parseMarkdown } from '#seal/case/markdown.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdown } from '#view/markdown/markdown.ts';
import { nameCase } from '#wire/case-name.ts';
import type { CallState } from '#wire/case-states.ts';
import type { DeskActRequest } from '#wire/desk-cases.ts';
import { renderFormToken } from '../page-frame.ts';
import { type CaseListView, renderCaseList, toRowId } from '../queue/case-list.ts';
import { renderClock } from '../queue/queue-page.ts';
import { formatFullTime } from '../shown-time.ts';
import { renderPayment, renderSeal, renderTimeline } from './case-facts.ts';
import { renderCare, renderDangerFlag, renderInquiry } from './case-inquiry.ts';
import { describePurge, renderEndings, renderReply, renderSeenFields } from './case-reply.ts';
import { renderFiles, renderNotes, renderPartSaving } from './case-side.ts';
import { renderCame, renderThread, writeLinksOut } from './case-thread.ts';
import { type CaseView, mayAct } from './case-view.ts';
import { renderAwayNote, renderDraftFields, renderFormless, renderSaved } from './draft-field.ts';

const callStates: Readonly<Record<CallState, string>> = {
  none: 'not offered',
  offered: 'offered',
  proposed: 'times proposed',
  booked: 'booked',
  held: 'took place',
};

export function renderOpenedCasePage(view: CaseView, list: CaseListView): Html {
  const { opened } = view;
  return html`<div class="panes">
${renderCaseList({ ...list, current: opened.facts.id })}
<main class="pane case" id="main">
<div class="tabs"><p class="label">${opened.facts.tier}</p><p class="small">${describeAssignee(view)}${renderNext(view, list)}</p></div>
<article class="sheet">
${renderHead(view)}
<div class="case-body">
<div class="case-main">
${renderAssignedToOther(view)}
${renderPurgeAsked(view)}
${renderInquiry(view)}
<section aria-labelledby="talk">
<h2 class="unseen" id="talk">Conversation</h2>
${renderGaps(view)}
${renderThread(view)}
${renderFinding(view)}
${renderCame(view)}
${renderFormless(view)}
${renderReply(view)}
</section>
</div>
<aside class="case-side" aria-label="About this case">
${renderCare(view)}
${renderCall(view)}
${renderNotes(view)}
${renderFiles(view)}
${renderPayment(view)}
${renderTimeline(view)}
${renderSeal(view)}
</aside>
</div>
${renderEndings(view)}
</article>
</main>
</div>`;
}

/** Leads to the next case by due time, so that the investigator need not go back to the list. */
function renderNext({ opened, staff }: CaseView, { all }: CaseListView): Html | null {
  const next = pickNextCase(all, staff.holder, opened.facts.id);
  if (next === null) return null;
  return html` <a href="${toOpeningPath(next)}" aria-keyshortcuts="n">Next: ${nameCase(next.id)} <kbd aria-hidden="true">n</kbd></a>`;
}

function describeAssignee({ opened: { facts }, staff }: CaseView): string {
  if (facts.holder === null) return 'Unassigned.';
  const who = nameAssignee(facts.holder, staff);
  if (who !== 'You') return `${who} has it.`;
  const handedBy =
    facts.handed_by === null ? '' : ` ${nameAssignee(facts.handed_by, staff)} handed it to you.`;
  return `Yours.${handedBy}`;
}

function renderHead(view: CaseView): Html {
  const { opened, gist, now } = view;
  const { facts } = opened;
  return html`<header class="case-head">
<div class="case-name">
<p class="back"><a href="/queue#${toRowId(facts.id)}" aria-keyshortcuts="Escape">Queue</a></p>
${gist.isInDanger ? renderDangerFlag('immediate') : null}
<h1>${nameCase(facts.id)}</h1>
<p class="on-paper">As of ${formatFullTime(now)}</p>
${isEndedCase(facts) ? renderEnd(view) : renderClock(facts, now)}
${facts.state === 'awaiting_client' ? html`<p class="small">Waiting for ${gist.buyer}.</p>` : null}
</div>
<div class="acts main-acts">
${renderMainActs(view)}
${renderMore(view)}
</div>
</header>`;
}

/** An ended case has no due time, only the time of its purge. */
function renderEnd({ opened: { facts }, now }: CaseView): Html {
  const purge = facts.purge_at === null ? '' : `purged ${formatTimeInBoth(Date.parse(facts.purge_at), now)}`;
  return html`<p class="clock"><b>${caseStateNames[facts.state]}</b> <span>${purge}</span></p>`;
}

/** Depends on the assignee: an unassigned case can be taken, a colleague's reassigned, and one's own worked on. */
function renderMainActs(view: CaseView): Html {
  const write = mayAct(view, 'deliver')
    ? html`<a class="button" href="/cases/${view.opened.facts.id}/finding" aria-keyshortcuts="d">${hasFindingDraft(view) ? 'Continue writing' : 'Write the finding'} <kbd aria-hidden="true">d</kbd></a>`
    : null;
  if (mayAct(view, 'take_over'))
    return html`${write}${renderActButton(view, 'take_over', 'Reassign to me', 't')}`;
  if (isFree(view)) return html`${write}${renderActButton(view, 'take', 'Take it', 't')}`;
  return html`${write}${mayAct(view, 'ask', 'message') ? html`<a class="button quiet" href="#text" aria-keyshortcuts="r">Reply <kbd aria-hidden="true">r</kbd></a>` : null}`;
}

/** Also true if the draft does not open: the page for writing reports that. */
function hasFindingDraft({ draft: { stored } }: CaseView): boolean {
  return stored === null || stored['markdown'] !== undefined;
}

function isFree(view: CaseView): boolean {
  return view.opened.facts.holder !== view.staff.holder && mayAct(view, 'take');
}

function renderMore(view: CaseView): Html {
  const { opened, staff } = view;
  const { facts } = opened;
  const isWaiting = facts.state === 'awaiting_client' && facts.holder === staff.holder;
  const entries = [
    isFree(view) && mayAct(view, 'ask', 'message')
      ? html`<a href="#text" aria-keyshortcuts="r">Reply</a>`
      : null,
    isWaiting && mayAct(view, 'take') ? renderActButton(view, 'take', 'Continue without an answer') : null,
    mayAct(view, 'let_go') && facts.holder === staff.holder
      ? renderActButton(view, 'let_go', 'Unassign it')
      : null,
    mayAct(view, 'hand_over') ? html`<a href="#note">Hand it over, with a note</a>` : null,
    mayAct(view, 'take_back')
      ? renderActButton(
          view,
          'take_back',
          `Take the ${facts.state === 'declined' ? 'decline' : 'delivery'} back`,
        )
      : null,
    mayAct(view, 'retain') ? html`<a href="#keep-text">Change the purge date, with a reason</a>` : null,
    mayAct(view, 'decline') ? html`<a href="#decline-text">Decline, with a reason</a>` : null,
    facts.acts.includes('purge') || facts.acts.includes('purge_now')
      ? html`<a href="#purge">${describePurge(facts.acts.includes('purge_now'))}</a>`
      : null,
  ].filter((entry) => entry !== null);
  return html`<details class="drop"><summary class="button quiet">More</summary><ul class="drop-box">${entries.map((entry) => html`<li>${entry}</li>`)}</ul></details>`;
}

function renderAssignedToOther(view: CaseView): Html | null {
  const { opened, staff, gist } = view;
  if (!isAssignedToOther(opened.facts, staff.holder) || isEndedCase(opened.facts)) return null;
  const who = nameAssignee(opened.facts.holder, staff);
  return html`<div class="changed"><p><b>${who} has this case.</b> You can read it and add notes. To write to ${gist.buyer}, reassign it to yourself.</p></div>`;
}

function renderPurgeAsked(view: CaseView): Html | null {
  const { opened, staff, now } = view;
  const { purge_by: by, purge_at: at, acts } = opened.facts;
  if (by === null || at === null) return null;
  const undo = acts.includes('undo_purge') ? renderActButton(view, 'undo_purge', 'Undo the purge') : null;
  return html`<div class="changed"><p><b>${nameAssignee(by, staff)} requested the purge of this case.</b> It happens ${formatTimeInBoth(Date.parse(at), now)}, unless someone at the desk undoes it.</p>${undo}</div>`;
}

/** Gaps other than missing messages, which the thread shows in their place. */
function renderGaps({ opened: { gaps, differences } }: CaseView): Html | null {
  const others = gaps.filter(({ kind }) => !kind.endsWith('message.v1'));
  if (others.length + differences.length === 0) return null;
  return html`<ul class="thread">${others.map(({ text }) => html`<li class="gap"><b>Something is missing.</b> ${text}</li>`)}${differences.map((text) => html`<li class="gap"><b>The office reports something other than what was sealed.</b> ${text}</li>`)}</ul>`;
}

function renderFinding(view: CaseView): Html | null {
  const { opened, gist, now } = view;
  const { content, facts } = opened;
  const { finding } = content;
  if (finding === null) return null;
  const held =
    facts.held_until === null
      ? ''
      : ` ${capitalizeName(gist.buyer)} sees it from ${formatTimeInBoth(Date.parse(facts.held_until), now)}.`;
  const text =
    'content' in finding
      ? renderMarkdown(writeLinksOut(parseMarkdown(finding.content.markdown)))
      : html`<p class="said">${finding.unreadable}</p>${renderPartSaving(view, { kind: 'finding.v1', seq: content.findingSeq }, finding)}`;
  return html`<section class="delivered" aria-labelledby="finding-title"><h3 id="finding-title">The finding${held === '' ? null : html` <span class="count">${held}</span>`}</h3><div class="paper">${text}</div></section>`;
}

/** The call of a case: its state, its times in both zones, and the form that books one. */
function renderCall(view: CaseView): Html | null {
  const { opened, gist } = view;
  const { call } = opened.facts;
  const plan = buildCallPlan(opened.content, call === 'booked');
  if (call === 'none' && plan.windows.length === 0 && !mayAct(view, 'offer_call', 'book_call')) return null;
  return html`<section class="slip" id="call" aria-labelledby="call-title">
<h2 id="call-title">Call ${call === 'proposed' ? html`<span class="tag">${capitalizeName(gist.buyer)} proposed times</span>` : html`<span class="count">${callStates[call]}</span>`}</h2>
${plan.number === '' ? null : html`<p>Number: ${showLine(plan.number)}</p>`}
${renderBooked(plan, view)}
${mayAct(view, 'book_call') && call !== 'held' ? renderBooking(plan, view) : null}
<div class="acts">
${mayAct(view, 'offer_call') && call === 'none' ? renderActButton(view, 'offer_call', 'Offer the call') : null}
${mayAct(view, 'hold_call') && call === 'booked' ? renderActButton(view, 'hold_call', 'It took place') : null}
</div>
</section>`;
}

function renderBooked({ booked, number }: CallPlan, view: CaseView): Html | null {
  if (booked === null) return null;
  const { now, opened } = view;
  const { purge_at: purgeAt, purge_by: purgeBy } = opened.facts;
  const at = toCallTime(booked);
  const isAhead = at > now && mayAct(view, 'book_call');
  const isPurgedBefore = isAhead && purgeAt !== null && Date.parse(purgeAt) < at;
  return html`<p><b>${formatTimeInBoth(at, now)}</b><br><span class="small">The buyer sees: ${showLine(formatBookedCall(booked))}</span></p>
${isAhead && number === '' ? html`<p>The buyer has not provided a phone number: ask for one.</p>` : null}
${isPurgedBefore && purgeBy === null && mayAct(view, 'retain') ? html`<p>The case will be purged before the call: ask the buyer whether to keep it longer.</p>` : null}`;
}

function renderBooking(plan: CallPlan, view: CaseView): Html {
  const groups = listCallTimes(plan.windows, view.now);
  const { id } = view.opened.facts;
  const chosen = view.typed.call;
  const preselected = chosen === '' && plan.booked !== null ? `${toCallTime(plan.booked)}` : chosen;
  const isRefused = view.refusal?.kind === 'call';
  const choice =
    groups.length === 0
      ? html`<label class="unseen" for="begin">The call begins</label><input class="input" id="begin" name="local" type="datetime-local" value="${chosen}" data-draft="call" required ?autofocus="${isRefused}" autocomplete="off" aria-keyshortcuts="c">`
      : html`<label class="unseen" for="begin">The call begins</label><select class="input" id="begin" name="begin" data-draft="call" ?autofocus="${isRefused}" aria-keyshortcuts="c">${groups.map(
          ({ label, begins }) =>
            html`<optgroup label="${showLine(label)}">${begins.map((begin) => html`<option value="${begin.at}" ?selected="${`${begin.at}` === preselected}">${begin.label}</option>`)}</optgroup>`,
        )}</select>`;
  return html`<form method="dialog" action="/cases/${id}/call" autocomplete="off">
${renderSeenFields(view)}${renderDraftFields(view, 'call')}
<p class="small">Your time, ${DESK_ZONE}. ${renderSaved(view, 'call')}</p>
<div class="acts book">${choice}<button class="button quiet" aria-keyshortcuts="Control+Enter" type="submit" data-office ?disabled="${view.isAway}">${plan.booked === null ? 'Book' : 'Move the call'}</button></div>
${renderAwayNote(view)}
</form>`;
}

/** A button for one act on a case, in its own form: following a link must not change anything. */
function renderActButton(
  { opened, visit }: Pick<CaseView, 'opened' | 'visit'>,
  act: DeskActRequest['act'],
  label: string,
  key?: string,
): Html {
  const hint = key === undefined ? null : html` <kbd aria-hidden="true">${key}</kbd>`;
  return html`<form method="dialog" action="/cases/${opened.facts.id}/acts">${renderFormToken(visit)}<button class="button quiet" name="act" value="${act}" aria-keyshortcuts="${key}" type="submit">${label}${hint}</button></form>`;
}
