/** What is shown once nothing of a case is left: by the server, and as templates for the script of the page. */
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { CASE_SLOTS, CASE_TEMPLATES } from '#wire/case-page.ts';

const next = { href: '/', text: 'Go to the first page' };

/** To the buyer who wanted it so, at once. */
export const caseErasedPage = renderMessagePage({
  title: 'Everything was erased',
  paragraphs: [
    'Your question, files, messages and answer are gone, and so is the key to any copy on our disks.',
  ],
  next,
});

/** To whoever comes back with the words. */
export function renderPurgedPage(sentence: Html | string): Page {
  return renderMessagePage({ status: 410, title: 'This case was erased', paragraphs: [sentence], next });
}

const purged = renderPurgedPage(html`<span data-slot="${CASE_SLOTS.sentence}"></span>`);

export const purgedCaseTemplates = html`${renderPageTemplate(CASE_TEMPLATES.erased, caseErasedPage)}
${renderPageTemplate(CASE_TEMPLATES.purged, purged)}`;
