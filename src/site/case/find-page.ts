/** The page where the buyer enters the twelve words, with the templates of its script, and the pages of a deleted case. */
import type { Language } from '#language/language.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { formatErrorTitle, renderProblemList, renderSealingNote, renderTextArea } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { type HtmlPage, renderPageTemplate } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { CASE_SLOTS, CASE_TEMPLATES, FIND_FORM_ID } from '#wire/case-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { renderCaseTemplate } from './page.ts';

export function renderCaseLookupPage(language: Language, fault?: string): HtmlPage {
  const { say } = language;
  const problems = fault ? [{ field: WORDS_FIELD, message: fault }] : [];
  const title = say('find.title');
  return {
    title: fault ? formatErrorTitle(say, title) : title,
    status: fault ? 422 : 200,
    language,
    confidential: true,
    script: 'case',
    main: html`<div class="wrap text">
${renderProblemList(say, problems)}<p class="note" role="status" data-slot="${CASE_SLOTS.closed}" hidden></p>
<h1>${title}</h1>
<p>${say('find.lead')}</p>
<form id="${FIND_FORM_ID}" method="post" action="/case" novalidate autocomplete="off">
${renderTextArea(say, { name: WORDS_FIELD, label: say('find.words'), hint: say('find.words.hint'), rows: 3, lang: 'en', error: fault })}
${renderSealingNote({
  server: renderSentence(language, 'find.note.server', { strong: renderStrong }),
  browser: renderSentence(language, 'find.note.browser', { strong: renderStrong }),
})}
<div class="acts"><button class="button" type="submit" id="send">${say('find.open')}</button></div>
</form>
${renderLostWordsHelp(language)}
</div>
${renderCaseTemplate(language)}
${renderPurgedCaseTemplates(language)}`,
  };
}

function renderLostWordsHelp(language: Language): Html {
  const { say } = language;
  const advice = (['find.lost.look', 'find.lost.type', 'find.lost.reach'] as const).map((key) =>
    renderSentence(language, key, { strong: renderStrong }),
  );
  const write = renderSentence(language, 'find.lost.write', {
    link: (text) => html`<b><a href="/contact">${text}</a></b>`,
  });
  return html`<details class="help"><summary>${say('find.lost')}</summary>
<p>${say('find.lost.lead')}</p>
<ul>
${[...advice, write].map((item) => html`<li>${item}</li>\n`)}</ul>
<p>${say('find.lost.end')}</p>
</details>`;
}

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

function renderPurgedCaseTemplates(language: Language): Html {
  const purged = renderPurgedPage(language, html`<span data-slot="${CASE_SLOTS.sentence}"></span>`);
  return html`${renderPageTemplate(CASE_TEMPLATES.erased, renderCaseErasedPage(language))}
${renderPageTemplate(CASE_TEMPLATES.purged, purged)}`;
}
