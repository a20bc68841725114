/** The strips below the top bar: answers that can be taken back, changes of people, and the result of the last act. */
import type { BrowserVisit } from '#desk/loopback/page-route.ts';
import { capitalizeName, UNNAMED_BUYER } from '#desk/model/case-gist.ts';
import { formatDeskHour } from '#desk/model/desk-time.ts';
import type { DeskNotice, DeskWork } from '#desk/model/desk-work.ts';
import type { AnswerOnHold } from '#desk/model/office-watch.ts';
import type { OpenedVisit } from '#desk/model/opened-cases.ts';
import { showLine } from '#desk/model/shown-text.ts';
import {
  describePeopleChange,
  formatPerson,
  listShownPeople,
  type OfficeSession,
  type PeopleChange,
} from '#desk/office/office-people.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { renderFormToken } from './page-frame.ts';

export function renderStrips(desk: DeskWork, visit: BrowserVisit): Html | undefined {
  const notice = desk.takeNotice();
  const { session } = desk.office;
  const answers = desk.watch.listOnHold();
  const [latest] = answers.toSorted((a, b) => b.until - a.until);
  const meant = answers.find(({ id }) => visit.path.startsWith(`/cases/${id}`)) ?? latest;
  const held = answers.map((answer) =>
    renderHeld(answer, desk.opened.get(answer.id), answer === meant, visit),
  );
  const strips = [
    ...(notice === null ? [] : [renderNotice(notice)]),
    ...held,
    ...(session?.peopleChange ? [renderPeopleChange(session.peopleChange, session, visit)] : []),
  ];
  return strips.length === 0 ? undefined : html`${strips}`;
}

function renderNotice({ strong, text, link }: DeskNotice): Html {
  return html`<div class="notice" role="status"><p><b>${strong}</b> ${text}</p>${link ? html`<a href="${link.href}">${link.label}</a>` : null}</div>`;
}

/** The key `u` takes back the answer in the case on the page, or else the latest. */
function renderHeld(
  { id, isDecline, until }: AnswerOnHold,
  opened: OpenedVisit | undefined,
  isMeant: boolean,
  visit: BrowserVisit,
): Html {
  const buyer = capitalizeName(opened?.gist.buyer ?? UNNAMED_BUYER);
  const said = isDecline
    ? html`<b>${nameCase(id)} is declined.</b> ${buyer} can read the reason from ${formatDeskHour(until)}. ${renderRefund(opened)}`
    : html`<b>${nameCase(id)} is delivered.</b> ${buyer} can see it from ${formatDeskHour(until)}.`;
  return html`<div class="notice"><p>${said}</p><form method="dialog" action="/cases/${id}/acts">${renderFormToken(visit)}<button class="button little" name="act" value="take_back" aria-keyshortcuts="${isMeant ? 'u' : null}" type="submit">Take it back<span class="unseen">: ${nameCase(id)}</span> ${isMeant ? html`<kbd aria-hidden="true">u</kbd>` : null}</button></form></div>`;
}

/** The only strip with the payment reference, because the refund cannot be made without it. */
function renderRefund(visit: OpenedVisit | undefined): Html {
  const inquiry = visit?.opened.content.inquiry;
  const reference = inquiry && 'content' in inquiry ? inquiry.content.payment_ref : null;
  return html`Then refund the payment at the provider${reference === null ? null : html`: reference <span class="code">${showLine(reference)}</span>`}. <a href="/orders">Orders</a> then lists it until someone at the desk marks the refund as done.`;
}

/** Notes are sealed to the people of the desk, so a change of people must be confirmed before the next note. */
function renderPeopleChange(change: PeopleChange, session: OfficeSession, visit: BrowserVisit): Html {
  const { people } = session;
  const said = change.isFirst
    ? html`<b>These people work at the desk besides you.</b> ${listNames(change.came)}. Compare these digits with theirs. You cannot add notes until you confirm this list`
    : html`<b>The people at the desk have changed.</b> ${showLine(describePeopleChange(change).join(' '))} Now: ${listNames(people)}. You cannot add notes until you confirm this list`;
  const shown = listShownPeople(session).map(
    (each) => html`<input type="hidden" name="person" value="${each}">`,
  );
  // Only on the page with the keys to compare: elsewhere a second press after sending could confirm by accident.
  const hasKey = visit.path === '/people';
  return html`<div class="notice"><p>${said}: everyone on it can read notes.</p><form method="dialog" action="/people/confirm">${renderFormToken(visit)}${shown}<input type="hidden" name="back" value="${visit.path}"><button class="button little" aria-keyshortcuts="${hasKey ? 'Control+Enter' : null}" type="submit">Confirm ${hasKey ? html`<kbd aria-hidden="true">Ctrl Enter</kbd>` : null}</button></form></div>`;
}

/** The names come from the office, so each is shown with the digits of its key. */
function listNames(people: readonly DeskPersonView[]): string {
  return showLine(people.map(formatPerson).join(', '));
}
