/** Answers for the audit log: a page of it, and that the investigator knows why it is another one. */
import type { BrowserVisit, DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import { type DeskStaff, nameAssigneeWithKey } from '#desk/model/assignee-name.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { showLine } from '#desk/model/shown-text.ts';
import type { AuditLine, OfficeAudit } from '#desk/office/audit-reader.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import type { AuditAct } from '#wire/desk-audit.ts';
import { readText } from './case/case-handlers.ts';
import { renderColumnPage } from './column-page.ts';
import { renderStrips } from './desk-strips.ts';
import { renderFormToken } from './page-frame.ts';
import { renderShownTime } from './shown-time.ts';

interface AuditPageView {
  readonly audit: OfficeAudit;
  readonly visit: BrowserVisit;
  readonly staff: DeskStaff;
  readonly now: number;
}

const actWords: Readonly<Record<AuditAct, string>> = {
  read: 'opened',
  take: 'took',
  take_over: 'reassigned to self',
  let_go: 'unassigned',
  ask: 'asked the buyer',
  message: 'wrote to the buyer',
  note: 'wrote a note',
  offer_call: 'offered a call',
  book_call: 'booked a call',
  hold_call: 'marked the call as done',
  deliver: 'delivered the finding',
  take_back: 'took the finding back',
  decline: 'declined',
  retain: 'changed the purge date',
  purge: 'asked for the purge of',
  purge_now: 'purged',
  undo_purge: 'undid the purge of',
  read_keys: 'read sealed keys',
  reseal: 'sealed anew',
  attend_order: 'settled',
  release_order: 'released',
  approve_agent: 'approved',
  reject_agent: 'rejected',
  suspend_agent: 'suspended',
  rotate_agent: 'voided the secret of',
  redirect_agent: 'changed the redirect addresses of',
  handle_contact: 'handled',
};

type Request = DeskRequest<DeskWork>;

export async function answerAudit({ desk, query, visit }: Request): Promise<DeskAnswer> {
  const before = /^[1-9]\d{0,14}$/.exec(query.get('before') ?? '')?.[0];
  const audit = await desk.watch.ask(
    async () => await desk.office.readAudit(before === undefined ? undefined : Number(before)),
    () => undefined,
  );
  const main = renderAuditPage({ audit, visit, staff: desk.staff, now: desk.watch.readClock() });
  return { page: { title: 'Desk: log', nav: 'log', main, strip: renderStrips(desk, visit) } };
}

export async function answerAuditAccepted({ desk, form }: Request): Promise<DeskAnswer> {
  await desk.office.acceptAudit(readText(form, 'head').slice(0, 100));
  desk.say({ strong: 'Remembered.', text: 'The desk goes on from the log as it is now.' });
  return { redirect: '/log' };
}

function renderAuditPage(view: AuditPageView): Html {
  const { entries, older } = view.audit;
  const table =
    entries.length === 0
      ? html`<div class="empty"><p class="title">Nothing has been done yet</p><p>Everything that an investigator does with a case, opening it included, is listed here.</p></div>`
      : html`<table class="grid log">
<caption class="unseen">What was done, the latest first</caption>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Did</th><th scope="col">What</th></tr></thead>
<tbody>${entries.map((line) => renderAuditLine(line, view))}</tbody>
</table>`;
  const more =
    older === null ? null : html`<p class="older"><a href="/log?before=${older}">Older entries</a></p>`;
  return renderColumnPage({
    title: 'Log',
    about: `Who did what to which case, and when; never what was written. Of a purged case only the day stays, and who of the desk purged it. ${describeChain(view.audit)}`,
    main: html`${renderAuditWarning(view)}${table}${more}`,
  });
}

function describeChain({ total, checked, fault }: OfficeAudit): string {
  const count = `${total} ${total === 1 ? 'entry' : 'entries'}`;
  if (fault) return `${count}.`;
  if (checked < total) return `${count}; the chain holds up to entry ${checked}, look again to go on.`;
  return `${count}; the chain holds, and goes on from where this desk last saw it.`;
}

function renderAuditWarning({ audit: { fault, head }, visit }: AuditPageView): Html | null {
  if (fault === null) return null;
  const accept = fault.mayBeRestored
    ? html`<form method="dialog" action="/log/accept">${renderFormToken(visit)}<input type="hidden" name="head" value="${head}"><button class="button quiet" type="submit">I know of the restore: go on from here</button></form>`
    : null;
  return html`<div class="problems" role="alert"><h2>The log cannot be trusted</h2><p>${fault.text}</p>${accept}</div>`;
}

function renderAuditLine({ number, said, isEmptied }: AuditLine, { staff, now }: AuditPageView): Html {
  if (said === null) {
    const why = isEmptied ? 'deleted with what it was about' : 'cannot be read';
    return html`<tr><th scope="row">Entry ${number}</th><td><span aria-hidden="true">–</span></td><td>${why}</td><td><span aria-hidden="true">–</span></td></tr>`;
  }
  const who = said.by === null ? 'The command line' : nameAssigneeWithKey(said.by, staff);
  const isPurged = said.act === 'purge' && said.case === undefined;
  // Of an order and of a purge the log has the day in UTC and no time.
  const when =
    said.order === undefined && !isPurged
      ? renderShownTime(Date.parse(said.at), now)
      : html`<time>${said.at.slice(0, '2026-11-16'.length)}</time>`;
  return html`<tr><th scope="row">${when}</th><td>${who}</td><td>${isPurged ? 'purged' : describeAct(said.act)}</td><td>${isPurged ? 'a case' : renderSubject(said)}</td></tr>`;
}

/** Whatever an office of another version calls it. */
function describeAct(act: string): string {
  return Object.hasOwn(actWords, act) ? actWords[act as AuditAct] : showLine(act.replaceAll('_', ' '));
}

/** Of an order or a message no more than that it was one. */
function renderSubject({ case: id, order, agent, contact }: NonNullable<AuditLine['said']>): Html | string {
  if (id !== undefined) return html`<a href="/cases/${id}">${nameCase(id)}</a>`;
  if (agent !== undefined) return html`<a href="/agents/${agent}">an agent</a>`;
  if (contact !== undefined) return 'a contact message';
  return order === undefined ? html`<span aria-hidden="true">–</span>` : 'an order';
}
