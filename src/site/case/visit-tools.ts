/** What keeps the page of an open case up to date, and what ends the visit: with a script, and without one. */
import type { Say } from '#language/catalogue.ts';
import { type Html, html } from '#view/html.ts';
import { CASE_BUTTONS, CASE_PARTS, CASE_PATH, CASE_SLOTS } from '#wire/case-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

/** The warning stands at the end of the page's order, and at the lower edge of the screen. */
export function renderVisitTools(say: Say): Html {
  return html`<div class="visit"><div class="tools"><button class="button quiet" type="button" id="${CASE_BUTTONS.look}">${say('look.act')}</button><button class="button quiet" type="button" id="${CASE_BUTTONS.close}">${say('lock.act')}</button></div>
<p role="status" data-slot="${CASE_SLOTS.fresh}"></p>
<p class="small">${say('look.about')} <span data-slot="${CASE_SLOTS.looked}"></span></p></div>
<div class="idle" data-part="${CASE_PARTS.idle}" hidden><p role="alert" data-slot="${CASE_SLOTS.idle}"></p><button class="button" type="button" id="${CASE_BUTTONS.stay}">${say('lock.stay')}</button></div>`;
}

/** The page that comes is the same one, with what is new. */
export function renderPlainVisitTools(say: Say, words: string): Html {
  return html`<form class="visit" method="post" action="${CASE_PATH}" autocomplete="off"><input type="hidden" name="${WORDS_FIELD}" value="${words}">
<div class="tools"><button class="button quiet" type="submit">${say('look.act')}</button></div>
<p class="small">${say('lock.plain')}</p></form>`;
}
