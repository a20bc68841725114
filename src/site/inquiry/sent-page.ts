/** The page after sending: the case is open, when it is due, and the words again. */
import type { Language } from '#language/language.ts';
import type { ShownTime } from '#language/timed-text.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import { type HtmlPage, SAFETY_PATH } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { renderSentence, renderStrong, renderTime } from '#view/sentence.ts';
import { CASE_PATH } from '#wire/case-page.ts';
import { IMMEDIATE_DANGER, INQUIRY_PART_IDS, INQUIRY_SENT_SLOTS } from '#wire/inquiry-page.ts';
import { SENT_TEMPLATE, WORDS_FIELD } from '#wire/page-parts.ts';
import { renderInquirySteps, STEP_COUNT } from './steps.ts';
import { renderEmptyWordsList, renderWordsBox, renderWordsList } from './words-list.ts';

interface SentInquiryInput {
  readonly due: ShownTime;
  readonly words: string;
  readonly immediate: boolean;
}

export function renderInquirySentPage(
  language: Language,
  addresses: Pick<PublicAddresses, 'site'>,
  { due, words, immediate }: SentInquiryInput,
): HtmlPage {
  const list = renderWordsList(words, INQUIRY_PART_IDS.words);
  return {
    title: formatSentTitle(language),
    language,
    confidential: true,
    isUnnamed: true,
    // For printing and copying, if the browser runs scripts but could not seal.
    script: 'inquiry',
    main: renderSentLayout(language, {
      due: renderTime(due),
      words: renderWordsBox(language.say, list, addresses),
      danger: immediate ? renderEmergencyNote(language) : null,
      next: renderPlainNext(language, words),
    }),
  };
}

/** Sends the words, which this page shows anyway, to the server again, which opens the case as if they were typed. */
function renderPlainNext({ say }: Language, words: string): Html {
  return html`<form method="post" action="${CASE_PATH}" autocomplete="off"><input type="hidden" name="${WORDS_FIELD}" value="${words}">
<div class="acts"><button class="button" type="submit">${say('sent.case')}</button></div>
<p class="small">${say('sent.case.server')}</p></form>`;
}

/** For the script of the form, which fills the slots. */
export function renderInquirySentTemplate(
  language: Language,
  addresses: Pick<PublicAddresses, 'site'>,
): Html {
  const { say } = language;
  const slots = {
    due: html`<span data-slot="${INQUIRY_SENT_SLOTS.due}"></span>`,
    words: renderWordsBox(say, renderEmptyWordsList(INQUIRY_SENT_SLOTS.words), addresses),
    danger: html`<div data-when="${IMMEDIATE_DANGER}" hidden>${renderEmergencyNote(language)}</div>`,
    next: html`<div class="acts"><a class="button" id="${INQUIRY_PART_IDS.toCase}" href="${CASE_PATH}">${say('sent.case')}</a></div>
<p class="small" role="status"></p>`,
  };
  return renderPageTemplate(SENT_TEMPLATE, {
    title: formatSentTitle(language),
    main: renderSentLayout(language, slots),
  });
}

/** Does not mention a case, because the browser keeps titles in its history. */
function formatSentTitle({ say }: Language): string {
  return say('inquiry.title', { step: STEP_COUNT, count: STEP_COUNT });
}

function renderEmergencyNote(language: Language): Html {
  const link = (text: Html) => html`<a href="${SAFETY_PATH}#helplines">${text}</a>`;
  return html`<p class="note">${renderSentence(language, 'sent.danger', { strong: renderStrong, link })}</p>`;
}

interface SentLayoutSlots {
  readonly due: Html;
  readonly words: Html;
  readonly danger: Html | null;
  readonly next: Html;
}

function renderSentLayout(language: Language, { due, words, danger, next }: SentLayoutSlots): Html {
  const { say } = language;
  return html`<div class="wrap keeps-words">
${renderInquirySteps(say, 3)}
<div class="text">
<h1 tabindex="-1">${say('sent.title')}</h1>
<p>${renderSentence(language, 'sent.due', { time: due, strong: renderStrong })}</p>
${danger}
<h2>${say('sent.words')}</h2>
<p>${say('sent.words.text')}</p>
${words}
${next}
<p>${say('notice.sent')}</p>
<p class="small">${say('sent.close')}</p>
</div>
</div>`;
}

/** For a buyer who opens the address later: without the words there is nothing more to show. */
export function renderAlreadySentPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    title: say('sent.already.title'),
    paragraphs: [say('sent.already')],
    next: { href: '/case', text: say('sent.case') },
  });
}
