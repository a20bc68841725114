/** The page where the buyer enters the twelve words, with the templates from which the script renders the case. */
import { renderProblemList, renderTextArea } from '#view/form.ts';
import { html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSealingNote } from '#view/sealing-note.ts';
import { FIND_FORM_ID } from '#wire/case-page.ts';
import { ERROR_MARK, WORDS_FIELD } from '#wire/page-parts.ts';
import { renderCaseTemplate } from './page.ts';
import { purgedCaseTemplates } from './purged-page.ts';

const TITLE = 'Open your case';

export function renderCaseLookupPage(fault?: string): HtmlPage {
  const problems = fault ? [{ field: WORDS_FIELD, message: fault }] : [];
  return {
    title: fault ? ERROR_MARK + TITLE : TITLE,
    status: fault ? 422 : 200,
    confidential: true,
    script: 'case',
    main: html`<div class="wrap text">
${renderProblemList(problems)}
<h1>${TITLE}</h1>
<p>Enter the twelve words that you wrote down when you sent your inquiry.</p>
<form id="${FIND_FORM_ID}" method="post" action="/case" novalidate autocomplete="off">
${renderTextArea({ name: WORDS_FIELD, label: 'Your twelve words', hint: 'In their order. Capitals, commas and line breaks do not matter.', rows: 3, lang: 'en', error: fault })}
${renderSealingNote({
  server: html`<b>Your browser runs no script for this page.</b> Your words go to our server, which opens your case with them and forgets them again.`,
  browser: html`<b>Your words stay in your browser.</b> Your case is opened here, not on our server.`,
})}
<div class="acts"><button class="button" type="submit" id="send">Open my case</button></div>
</form>
<p class="small">Without the words nobody can open a case, and we cannot find it for you.</p>
</div>
${renderCaseTemplate()}
${purgedCaseTemplates}`,
  };
}
