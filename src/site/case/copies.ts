/** What a buyer keeps of a case: buttons for the script, and what works without one. */
import type { Say } from '#language/catalogue.ts';
import { type Html, html } from '#view/html.ts';
import { CASE_BUTTONS, type CaseButton } from '#wire/case-page.ts';

const BUTTONS = {
  answer: { save: CASE_BUTTONS.saveAnswer, print: CASE_BUTTONS.printAnswer },
  sent: { save: CASE_BUTTONS.saveSent, print: CASE_BUTTONS.printSent },
} as const;

export function renderCopyTools(say: Say, part: keyof typeof BUTTONS): Html {
  const { save, print } = BUTTONS[part];
  return renderTools([
    [save, say(`copy.${part}.save`)],
    [print, say(`copy.${part}.print`)],
  ]);
}

export function renderArchiveSection(say: Say): Html {
  return html`<section class="case-part"><h2>${say('copy.all')}</h2>
<p>${say('copy.all.text')}</p>
${renderTools([[CASE_BUTTONS.saveAll, say('copy.all.act')]])}
</section>`;
}

export function renderPlainArchiveSection(say: Say): Html {
  return html`<section class="case-part"><h2>${say('copy.all')}</h2>
<p>${say('copy.plain')}</p>
</section>`;
}

function renderTools(buttons: readonly (readonly [CaseButton, string])[]): Html {
  return html`<div class="tools">${buttons.map(([id, text]) => html`<button class="button quiet" type="button" id="${id}">${text}</button>`)}</div><p class="small" role="status"></p>`;
}
