/** What the sender of the form agrees to, in the version that the form posts. */
import type { Language } from '#language/language.ts';
import { type Html, html } from '#view/html.ts';
import { renderSentence } from '#view/sentence.ts';

export function renderTermsNote(language: Language, version: string): Html {
  const note = renderSentence(language, 'inquiry.terms', {
    terms: (text) => html`<a href="/terms/${version}">${text}</a>`,
    refunds: (text) => html`<a href="/refunds">${text}</a>`,
  });
  return html`<p class="hint">${note}</p>`;
}
