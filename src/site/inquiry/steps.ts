/** The three steps of an inquiry, with the current one marked. */
import { type Html, html } from '#view/html.ts';

const stepNames = ['Paid', 'Your question', 'Case opened'] as const;

export function renderInquirySteps(current: 2 | 3): Html {
  const steps = stepNames.map((name, index) => {
    const number = index + 1;
    if (number < current) return html`<li class="done"><b aria-hidden="true">✓</b>${name}</li>`;
    const ariaCurrent = number === current ? 'step' : null;
    return html`<li aria-current="${ariaCurrent}"><b aria-hidden="true">${number}</b>${name}</li>`;
  });
  return html`<nav aria-label="Step ${current} of 3"><ol class="steps">${steps}</ol></nav>`;
}
