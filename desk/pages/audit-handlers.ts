/** Handlers for the audit log: its pages, and accepting a log that was restored from a backup. */
import type { BrowserVisit, DeskAnswer } from '#desk/loopback/page-route.ts';
import { type DeskStaff, nameAssigneeWithKey } from '#desk/model/assignee-name.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { readText } from '#desk/model/unsent-form.ts';
import type { AuditLine, OfficeAudit } from '#desk/office/audit-reader.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import type { AuditAct } from '#wire/desk-audit.ts';
import { renderColumnPage, renderFormToken } from './page-frame.ts';
import { renderShownTime } from './shown-time.ts';

interface AuditPageView {
  readonly audit: OfficeAudit;
  readonly filter: AuditFilter;
  readonly visit: BrowserVisit;
  readonly staff: DeskStaff;
  readonly now: number;
}

interface AuditFilter {
  /** The hash of a person's key, or `cli`. */
  readonly by: string | null;
  /** The name of a case, or the start of its id. */
  readonly about: string | null;
}

const NO_KEY = 'cli';
const COMMAND_LINE = 'The command line';
/** A filter searches this many pages at once; the link below the list continues. */
const MAX_PAGES = 25;
const MAX_LINES = 200;
const MAX_FILTER = 50;
/** One act of a person that is logged as an entry for each case. */
const FOLDED_ACTS = new Set<string>(['reseal', 'read_keys']);

const actWords: Readonly<Record<AuditAct, string>> = {
  read: 'opened',
  take: 'took',
  take_over: 'reassigned to self',
  let_go: 'unassigned',
  hand_over: 'handed over',
  ask: 'asked the buyer',
  message: 'wrote to the buyer',
  note: 'wrote a note',
  offer_call: 'offered a call',
  book_call: 'booked a call',
  hold_call: 'marked the call as done',
  deliver: 'delivered the finding',
  take_back: 'took back a delivery or decline',
  decline: 'declined',
  retain: 'changed the purge date',
  purge: 'requested the purge of',
  purge_now: 'purged',
  undo_purge: 'cancelled the requested purge of',
  read_keys: 'read sealed keys',
  reseal: 'sealed again',
  attend_order: 'settled',
  release_order: 'released',
  approve_agent: 'approved',
  reject_agent: 'rejected',
  suspend_agent: 'suspended',
  rotate_agent: 'voided the secret of',
  redirect_agent: 'changed the redirect addresses of',
  handle_contact: 'handled',
  settle_refund: 'marked a refund as made',
};

export async function answerAudit({ desk, query, visit }: WorkRequest): Promise<DeskAnswer> {
  const before = /^[1-9]\d{0,14}$/.exec(query.get('before') ?? '')?.[0];
  const filter = {
    by: query.get('by')?.slice(0, MAX_FILTER) || null,
    about: query.get('case')?.slice(0, MAX_FILTER).trim() || null,
  };
  const start = before === undefined ? undefined : Number(before);
  const audit = await desk.watch.ask(() => readFiltered(desk, filter, start));
  const main = renderAuditPage({ audit, filter, visit, staff: desk.staff, now: desk.watch.readClock() });
  return { page: { title: 'Desk: log', nav: 'log', main } };
}

/** Filters here and not at the office, so that entries that are left out are verified as well. */
async function readFiltered({ office }: DeskWork, filter: AuditFilter, start?: number): Promise<OfficeAudit> {
  let page = await office.audit.read(start);
  if (filter.by === null && filter.about === null) return page;
  const entries = page.entries.filter((line) => isWanted(line, filter));
  for (let pages = 1; page.older !== null && pages < MAX_PAGES && entries.length < MAX_LINES; pages += 1) {
    if (page.fault) break;
    page = await office.audit.read(page.older);
    entries.push(...page.entries.filter((line) => isWanted(line, filter)));
  }
  return { ...page, entries };
}

function isWanted({ said }: AuditLine, { by, about }: AuditFilter): boolean {
  if (said === null) return false;
  if (by !== null && (said.by ?? NO_KEY) !== by) return false;
  if (about === null) return true;
  const { case: id } = said;
  return (
    id !== undefined && (id.startsWith(about) || nameCase(id) === about.toLowerCase().replaceAll('-', ' '))
  );
}

export async function answerAuditAccepted({ desk, form }: WorkRequest): Promise<DeskAnswer> {
  await desk.office.audit.accept(readText(form, 'head').slice(0, 100));
  desk.say({ strong: 'Accepted.', text: 'The desk will check later entries against the log as it is now.' });
  return { redirect: '/log' };
}

function renderAuditPage(view: AuditPageView): Html {
  const { entries, older } = view.audit;
  const { by, about } = view.filter;
  const isFiltered = by !== null || about !== null;
  const table =
    entries.length === 0
      ? renderNothingDone(isFiltered)
      : html`<table class="grid log">
<caption class="unseen">Log entries, latest first</caption>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Did</th><th scope="col">What</th></tr></thead>
<tbody>${foldLines(entries).map((lines) => renderAuditLine(lines, view))}</tbody>
</table>`;
  const more =
    older === null
      ? null
      : html`<p class="older"><a href="${toLogPath(view.filter, older)}">Older entries</a></p>`;
  const lead = `Who did what to which case, and when. The log never contains what was written. For a purged case, only the day and who at the desk purged it remain. ${describeChain(view.audit)}`;
  const main = html`${renderAuditWarning(view)}${renderFilter(view, isFiltered)}${table}${more}`;
  return renderColumnPage('Log', lead, main);
}

function renderNothingDone(isFiltered: boolean): Html {
  if (isFiltered)
    return html`<div class="empty"><p class="title">Nothing here</p><p>None of the searched entries matches this filter.</p></div>`;
  return html`<div class="empty"><p class="title">Nothing has been done yet</p><p>Everything that an investigator does with a case, including opening it, is listed here.</p></div>`;
}

function toLogPath({ by, about }: AuditFilter, before: number): string {
  const pairs = Object.entries({ by, case: about, before: String(before) });
  return `/log?${new URLSearchParams(pairs.filter((pair): pair is [string, string] => pair[1] !== null))}`;
}

function renderFilter({ filter: { by, about }, staff }: AuditPageView, isFiltered: boolean): Html {
  const people = [...staff.people.map(({ holder }) => holder), NO_KEY].map(
    (holder) =>
      html`<option value="${holder}" ?selected="${holder === by}">${holder === NO_KEY ? COMMAND_LINE : nameAssigneeWithKey(holder, staff)}</option>`,
  );
  return html`<form class="log-filter" method="get" action="/log">
<div class="field"><label for="by">Who</label><select class="input" id="by" name="by" aria-keyshortcuts="x"><option value="">Anyone</option>${people}</select></div>
<div class="field"><label for="about">Case, by name or id</label><input class="input" id="about" name="case" value="${about ?? ''}" autocomplete="off" spellcheck="false"></div>
<button class="button quiet" type="submit">Show</button>${isFiltered ? html` <a href="/log">Show all</a>` : null}${about !== null && isId(about) ? html` <a href="/cases/${about}" aria-keyshortcuts="Escape">Back to ${nameCase(about)}</a>` : null}
</form>`;
}

/** Groups adjacent entries of one act. */
function foldLines(entries: readonly AuditLine[]): AuditLine[][] {
  const folded: AuditLine[][] = [];
  for (const line of entries) {
    const last = folded.at(-1);
    const said = last?.[0]?.said;
    const isSame = said?.act === line.said?.act && said?.by === line.said?.by;
    if (last && isSame && FOLDED_ACTS.has(line.said?.act ?? '')) last.push(line);
    else folded.push([line]);
  }
  return folded;
}

function describeChain({ total, checked, fault }: OfficeAudit): string {
  const count = `${total} ${total === 1 ? 'entry' : 'entries'}`;
  if (fault) return `${count}.`;
  if (checked < total)
    return `${count}; the hash chain is intact up to entry ${checked}. Reload this page to check the rest.`;
  return `${count}; the hash chain is intact and continues from the last entry that this desk saw.`;
}

function renderAuditWarning({ audit: { fault, head }, visit }: AuditPageView): Html | null {
  if (fault === null) return null;
  const accept = fault.mayBeRestored
    ? html`<form method="dialog" action="/log/accept">${renderFormToken(visit)}<input type="hidden" name="head" value="${head}"><button class="button quiet" type="submit">I know about the restore: accept this log</button></form>`
    : null;
  return html`<div class="problems" role="alert"><h2>The log cannot be trusted</h2><p>${fault.text}</p>${accept}</div>`;
}

/** For several entries of one act, shows the time of the latest. */
function renderAuditLine(lines: readonly AuditLine[], { staff, now }: AuditPageView): Html {
  const { number, said, isEmptied } = lines[0]!;
  if (said === null) {
    const why = isEmptied ? 'deleted with its subject' : 'cannot be read';
    return html`<tr><th scope="row">Entry ${number}</th><td><span aria-hidden="true">–</span></td><td>${why}</td><td><span aria-hidden="true">–</span></td></tr>`;
  }
  const who = said.by === null ? COMMAND_LINE : nameAssigneeWithKey(said.by, staff);
  const isPurged = said.act === 'purge' && said.case === undefined;
  const describeSubject = () => {
    if (lines.length > 1) return `${lines.length} cases`;
    return isPurged ? 'a case' : renderSubject(said);
  };
  // For an order or a purge the log has only the day in UTC.
  const when =
    said.order === undefined && !isPurged
      ? renderShownTime(Date.parse(said.at), now)
      : html`<time>${said.at.slice(0, '2026-11-16'.length)}</time>`;
  return html`<tr><th scope="row">${when}</th><td>${who}</td><td>${isPurged ? 'purged' : describeAct(said.act)}</td><td>${describeSubject()}</td></tr>`;
}

/** An office of another version may name acts that this desk does not know. */
function describeAct(act: string): string {
  return Object.hasOwn(actWords, act) ? actWords[act as AuditAct] : showLine(act.replaceAll('_', ' '));
}

/** For an order or a contact message, reveals only that it was one. */
function renderSubject({ case: id, order, agent, contact }: NonNullable<AuditLine['said']>): Html | string {
  if (id !== undefined) return html`<a href="/cases/${id}">${nameCase(id)}</a>`;
  if (agent !== undefined) return html`<a href="/agents/${agent}">an agent</a>`;
  if (contact !== undefined) return 'a contact message';
  return order === undefined ? html`<span aria-hidden="true">–</span>` : 'an order';
}
