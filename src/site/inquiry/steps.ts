/** The three steps of an inquiry, with the current one marked. */
import type { Say } from '#language/catalogue.ts';
import { type Html, html } from '#view/html.ts';

const STEPS = ['steps.paid', 'steps.question', 'steps.case'] as const;
export const STEP_COUNT = STEPS.length;

export function renderInquirySteps(say: Say, current: 2 | 3): Html {
  const steps = STEPS.map((key, index) => {
    const number = index + 1;
    if (number < current) return html`<li class="done"><b aria-hidden="true">✓</b>${say(key)}</li>`;
    const ariaCurrent = number === current ? 'step' : null;
    return html`<li aria-current="${ariaCurrent}"><b aria-hidden="true">${number}</b>${say(key)}</li>`;
  });
  const place = say('steps.place', { step: current, count: STEP_COUNT });
  return html`<nav aria-label="${place}"><ol class="steps">${steps}</ol></nav>`;
}
