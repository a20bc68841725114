/** The twelve words as a numbered list that can be printed alone, with what a script offers for keeping them. */
import type { PublicAddresses } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';
import { WORD_TOOLS_PART, WORDS_CLASS } from '#wire/inquiry-page.ts';

const WORD_COUNT = 12;

const TEXTS = {
  address: 'Print the web address of your case page too',
  addressHint: 'Leave it out if somebody may find the paper.',
  print: 'Print the words',
  copy: 'Copy the words',
  hide: 'Hide the words',
} as const;

export function renderWordsList(words: string, id: string): Html {
  return html`<ol class="${WORDS_CLASS}" id="${id}" translate="no" lang="en">${words.split(' ').map((word) => html`<li>${word}</li>`)}</ol>`;
}

/** The script fills it. */
export function renderEmptyWordsList(slot: string): Html {
  return html`<ol class="${WORDS_CLASS}" data-slot="${slot}" translate="no" lang="en">${Array.from({ length: WORD_COUNT }, () => html`<li></li>`)}</ol>`;
}

/** On paper, `.words-alone` is all that remains of the page; the box without a name is not sent with the form. */
export function renderWordsBox(list: Html, { site }: Pick<PublicAddresses, 'site'>): Html {
  return html`<div class="keep">
<div class="words-alone">${list}<p class="way-back" translate="no">${site}/case</p></div>
<div class="tools" data-part="${WORD_TOOLS_PART}" hidden><button class="button quiet" type="button" data-print>${TEXTS.print}</button><button class="button quiet" type="button" data-copy>${TEXTS.copy}</button><button class="button quiet" type="button" data-mask>${TEXTS.hide}</button><p class="small" role="status"></p></div>
<label class="with-address"><input type="checkbox"><span>${TEXTS.address} <span class="hint">${TEXTS.addressHint}</span></span></label>
</div>`;
}
