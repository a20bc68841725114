/** The pages for a case that was deleted, rendered by the server or used as templates by the script. */
import type { Language } from '#language/language.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { CASE_SLOTS, CASE_TEMPLATES } from '#wire/case-page.ts';

/** Shown right after the buyer has deleted the case. */
export function renderCaseErasedPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    title: say('case.purge.done.title'),
    paragraphs: [say('case.purge.done')],
    next: { href: '/', text: say('frame.home') },
  });
}

/** Shown to anyone who enters the words later. */
export function renderPurgedPage(language: Language, sentence: Html | string): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    status: 410,
    title: say('problem.case_purged.title'),
    paragraphs: [sentence],
    next: { href: '/', text: say('frame.home') },
  });
}

export function renderPurgedCaseTemplates(language: Language): Html {
  const purged = renderPurgedPage(language, html`<span data-slot="${CASE_SLOTS.sentence}"></span>`);
  return html`${renderPageTemplate(CASE_TEMPLATES.erased, renderCaseErasedPage(language))}
${renderPageTemplate(CASE_TEMPLATES.purged, purged)}`;
}
