/** The audit log as a table: when, who, what and which case, below a sentence about its chain. */
import type { BrowserVisit } from '#desk-program/loopback/page-route.ts';
import { formatDeskTime } from '#desk-program/model/desk-time.ts';
import { type DeskStaff, nameHolder } from '#desk-program/model/holder-name.ts';
import type { AuditLine, OfficeAudit } from '#desk-program/office/office-audit.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import { renderColumnPage } from './column-page.ts';
import { renderFormToken } from './page-frame.ts';

export interface AuditPageView {
  readonly audit: OfficeAudit;
  readonly visit: BrowserVisit;
  readonly staff: DeskStaff;
  readonly now: number;
}

export function renderAuditPage(view: AuditPageView): Html {
  const { entries, older } = view.audit;
  const table =
    entries.length === 0
      ? html`<div class="empty"><p class="title">Nothing was done yet</p></div>`
      : html`<table class="grid">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Did</th><th scope="col">Case</th></tr></thead>
<tbody>${entries.map((line) => renderAuditLine(line, view))}</tbody>
</table>`;
  const more = older === null ? null : html`<p class="small"><a href="/log?before=${older}">Older</a></p>`;
  return renderColumnPage({
    title: 'Log',
    about: `Who did what to which case, and when; never what was written. ${describeChain(view.audit)}`,
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
    ? html`<form method="post" action="/log/accept">${renderFormToken(visit)}<input type="hidden" name="head" value="${head}"><button class="button quiet" type="submit">I know of the restore: go on from here</button></form>`
    : null;
  return html`<div class="problems" role="alert"><h2>The log cannot be trusted</h2><p>${fault.text}</p>${accept}</div>`;
}

function renderAuditLine({ number, said, isEmptied }: AuditLine, { staff, now }: AuditPageView): Html {
  if (said === null) {
    const why = isEmptied ? 'deleted with its case' : 'cannot be read';
    return html`<tr><th scope="row">Entry ${number}</th><td data-label="Who">-</td><td data-label="Did">${why}</td><td data-label="Case">-</td></tr>`;
  }
  const who = said.by === null ? 'The command line' : nameHolder(said.by, staff);
  return html`<tr><th scope="row"><time datetime="${said.at}">${formatDeskTime(Date.parse(said.at), now)}</time></th><td data-label="Who">${who}</td><td data-label="Did">${said.act.replaceAll('_', ' ')}</td><td data-label="Case">${renderSubject(said)}</td></tr>`;
}

/** Of an order no more than that it was one. */
function renderSubject({ case: id, order }: NonNullable<AuditLine['said']>): Html | string {
  if (id !== undefined) return html`<a href="/cases/${id}">${nameCase(id)}</a>`;
  return order === undefined ? '-' : 'an order';
}
