/** Twelve words, numbered, so that they can be copied by hand and read back. */
import { type Html, html } from '#view/html.ts';

const COUNT = 12;

export function renderWordsList(words: string, id: string): Html {
  return html`<ol class="words" id="${id}">${words.split(' ').map((word) => html`<li>${word}</li>`)}</ol>`;
}

/** For a script to fill. */
export function renderEmptyWordsList(slot: string): Html {
  return html`<ol class="words" data-slot="${slot}">${Array.from({ length: COUNT }, () => html`<li></li>`)}</ol>`;
}
