/** The box on the form that keeps a draft in this tab, and the notes on what became of one; all need a script. */
import type { Language } from '#language/language.ts';
import { type Html, html } from '#view/html.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { DRAFT_PARTS, INQUIRY_PART_IDS } from '#wire/inquiry-page.ts';

const NOTES = ['restored', 'lost', 'failed'] as const;

/**
 * The box has no name: it is not sent. While a script is starting, the stylesheet shows it and only that script enables
 * it: what is shown later would push the form down.
 */
export function renderDraftChoice(language: Language): Html {
  const { say } = language;
  const notes = NOTES.map(
    (note) =>
      html`\n<p class="note" role="status" data-part="${DRAFT_PARTS[note]}" hidden>${renderSentence(language, `draft.${note}`, { strong: renderStrong })}</p>`,
  );
  return html`<div data-part="${DRAFT_PARTS.choice}" hidden><label class="with-address"><input type="checkbox" id="${INQUIRY_PART_IDS.keepDraft}" disabled><span>${say('draft.keep')} <span class="hint">${say('draft.keep.hint')}</span></span></label></div>${notes}`;
}
