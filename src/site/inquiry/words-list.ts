/** The twelve words as a numbered list that can be printed alone, and the script's buttons to print or copy them. */
import type { Say } from '#language/catalogue.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';
import { WORD_TOOLS_PART, WORDS_CLASS } from '#wire/inquiry-page.ts';

const WORD_COUNT = 12;

export function renderWordsList(words: string, id: string): Html {
  return html`<ol class="${WORDS_CLASS}" id="${id}" translate="no" lang="en">${words.split(' ').map((word) => html`<li>${word}</li>`)}</ol>`;
}

/** The script fills it. */
export function renderEmptyWordsList(slot: string): Html {
  return html`<ol class="${WORDS_CLASS}" data-slot="${slot}" translate="no" lang="en">${Array.from({ length: WORD_COUNT }, () => html`<li></li>`)}</ol>`;
}

/** On paper, only `.words-alone` remains of the page. The checkbox has no name, so it is not sent with the form. */
export function renderWordsBox(say: Say, list: Html, { site }: Pick<PublicAddresses, 'site'>): Html {
  return html`<div class="keep">
<div class="words-alone">${list}<p class="way-back" translate="no">${site}/case</p></div>
<div class="tools" data-part="${WORD_TOOLS_PART}" hidden><button class="button quiet" type="button" data-print>${say('words.print')}</button><button class="button quiet" type="button" data-copy>${say('words.copy')}</button><button class="button quiet" type="button" data-mask>${say('words.hide')}</button><label class="with-address"><input type="checkbox"><span>${say('words.print.address')}<span class="hint">${say('words.print.address.hint')}</span></span></label><p class="small" role="status"></p></div>
</div>`;
}
