/** The three steps of an inquiry, and where the reader is. */
import { type Html, html } from '#view/html.ts';

const names = ['Paid', 'Your question', 'Case opened'] as const;

export function renderInquirySteps(current: 2 | 3): Html {
  const steps = names.map((name, index) => {
    const number = index + 1;
    if (number < current) return html`<li class="done"><b aria-hidden="true">✓</b>${name}</li>`;
    const here = number === current ? 'step' : null;
    return html`<li aria-current="${here}"><b aria-hidden="true">${number}</b>${name}</li>`;
  });
  return html`<nav aria-label="Step ${current} of 3"><ol class="steps">${steps}</ol></nav>`;
}
