/** A button that does one act with a case, in a form of its own: nothing changes by following a link. */
import { type Html, html } from '#view/html.ts';
import type { DeskActRequest } from '#wire/desk-cases.ts';
import type { CaseView } from './case/case-view.ts';
import { renderFormToken } from './page-frame.ts';

export function renderActButton(
  { opened, visit }: Pick<CaseView, 'opened' | 'visit'>,
  act: DeskActRequest['act'],
  label: string,
  key?: string,
): Html {
  const hint = key === undefined ? null : html` <kbd aria-hidden="true">${key}</kbd>`;
  return html`<form method="dialog" action="/cases/${opened.facts.id}/acts">${renderFormToken(visit)}<button class="button quiet" name="act" value="${act}" aria-keyshortcuts="${key}" type="submit">${label}${hint}</button></form>`;
}
