/** The twelve words as a numbered list, easy to copy by hand and compare. */
import { type Html, html } from '#view/html.ts';

const WORD_COUNT = 12;

export function renderWordsList(words: string, id: string): Html {
  return html`<ol class="words" id="${id}" translate="no">${words.split(' ').map((word) => html`<li>${word}</li>`)}</ol>`;
}

/** The script fills it. */
export function renderEmptyWordsList(slot: string): Html {
  return html`<ol class="words" data-slot="${slot}" translate="no">${Array.from({ length: WORD_COUNT }, () => html`<li></li>`)}</ol>`;
}
