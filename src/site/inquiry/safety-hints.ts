/** What the inquiry form says about safety: a private window, and whom to call. */
import type { Language } from '#language/language.ts';
import { type Html, html } from '#view/html.ts';
import { SAFETY_PATH } from '#view/page.ts';
import { renderSentence } from '#view/sentence.ts';

export function renderPrivateWindowHint(language: Language): Html {
  const link = (text: Html) => html`<a href="${SAFETY_PATH}#traces">${text}</a>`;
  return html`<p class="small">${renderSentence(language, 'inquiry.private', { link })}</p>`;
}

export function renderHelplinesHint(language: Language): Html {
  const link = (text: Html) => html`<a href="${SAFETY_PATH}#helplines">${text}</a>`;
  return html`<p class="hint">${renderSentence(language, 'inquiry.helplines', { link })}</p>`;
}
