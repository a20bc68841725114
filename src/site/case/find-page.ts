/** The page where the buyer enters the twelve words, with the templates from which the script renders the case. */
import type { Language } from '#language/language.ts';
import { renderProblemList, renderTextArea } from '#view/form.ts';
import { html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSealingNote } from '#view/sealing-note.ts';
import { FIND_FORM_ID } from '#wire/case-page.ts';
import { ERROR_MARK, WORDS_FIELD } from '#wire/page-parts.ts';
import { renderCaseTemplate } from './page.ts';
import { renderPurgedCaseTemplates } from './purged-page.ts';

const TITLE = 'Open your case';

const lostWordsHelp = html`<details class="help"><summary>I can’t find my words</summary>
<p>Nobody can open your case without them. We never had a copy, so we can’t send them again or make new ones. This is what still works:</p>
<ul>
<li><b>Look for your copy:</b> a sheet of paper, a password manager, your notes or photos.</li>
<li><b>Type what you can read.</b> The first four letters of a word are enough, and if one letter is wrong this page suggests the word.</li>
<li><b>If you told us in the form how to reach you,</b> your investigator can still use that. Work on your case goes on.</li>
<li><b><a href="/contact">Write to us</a></b> about anything else. We can’t look a case up for you, because we can’t know that it’s yours.</li>
</ul>
<p>Your case is deleted on its day, whether you come back or not.</p>
</details>`;

export function renderCaseLookupPage(language: Language, fault?: string): HtmlPage {
  const problems = fault ? [{ field: WORDS_FIELD, message: fault }] : [];
  return {
    title: fault ? ERROR_MARK + TITLE : TITLE,
    status: fault ? 422 : 200,
    language,
    confidential: true,
    script: 'case',
    main: html`<div class="wrap text">
${renderProblemList(problems)}
<h1>${TITLE}</h1>
<p>Enter the twelve words that you wrote down when you sent your inquiry.</p>
<form id="${FIND_FORM_ID}" method="post" action="/case" novalidate autocomplete="off">
${renderTextArea({ name: WORDS_FIELD, label: 'Your twelve words', hint: 'In their order. The first four letters of each are enough; capitals, commas and line breaks don’t matter.', rows: 3, lang: 'en', error: fault })}
${renderSealingNote({
  server: html`<b>Your browser runs no script for this page.</b> Your words go to our server, which opens your case with them and forgets them again.`,
  browser: html`<b>Your words stay in your browser.</b> Your case is opened here, not on our server.`,
})}
<div class="acts"><button class="button" type="submit" id="send">Open my case</button></div>
</form>
${lostWordsHelp}
</div>
${renderCaseTemplate(language)}
${renderPurgedCaseTemplates(language)}`,
  };
}
