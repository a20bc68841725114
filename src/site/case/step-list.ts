/** The line of steps of a case, rendered by the server or filled by the script. */
import { type Html, html } from '#view/html.ts';
import { renderTimedText } from '#view/timed-text.ts';
import { CASE_SLOTS } from '#wire/case-page.ts';
import type { CaseStep } from '#wire/case-requests.ts';

export function renderStepList(steps: readonly CaseStep[]): Html {
  return html`<ol class="way">${steps.map(renderStep)}</ol>`;
}

function renderStep({ stage, label, when }: CaseStep): Html {
  const current = stage === 'current' ? 'step' : null;
  return html`<li class="${stage}" aria-current="${current}"><b>${label}</b> <span class="small">${renderTimedText(when)}</span></li>`;
}

export function renderStepTemplate(): Html {
  return html`<li><b data-slot="${CASE_SLOTS.name}"></b> <span class="small" data-slot="${CASE_SLOTS.when}"></span></li>`;
}
