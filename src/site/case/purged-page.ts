/** The pages for a case that was purged, rendered by the server or used as templates by the script. */
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { CASE_SLOTS, CASE_TEMPLATES } from '#wire/case-page.ts';

const next = { href: '/', text: 'Go to the first page' };

/** Shown right after the buyer has erased the case. */
export const caseErasedPage = renderMessagePage({
  title: 'Everything was erased',
  paragraphs: [
    'Your question, files, messages and answer are gone, and so is the key to any copy on our disks.',
  ],
  next,
});

/** Shown to anyone who enters the words later. */
export function renderPurgedPage(sentence: Html | string): HtmlPage {
  return renderMessagePage({ status: 410, title: 'This case was erased', paragraphs: [sentence], next });
}

const purgedTemplatePage = renderPurgedPage(html`<span data-slot="${CASE_SLOTS.sentence}"></span>`);

export const purgedCaseTemplates = html`${renderPageTemplate(CASE_TEMPLATES.erased, caseErasedPage)}
${renderPageTemplate(CASE_TEMPLATES.purged, purgedTemplatePage)}`;
