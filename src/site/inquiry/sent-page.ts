/** The pages after sending: the case is open, when it is due, and the words again; or why the form was not sent. */
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import type { ShownTime } from '#language/timed-text.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { ServiceError } from '#platform/errors.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import {
  type InquiryFormControl,
  inquirySectionNames,
  listSectionControls,
} from '#seal/form/inquiry-form.ts';
import { renderMessagePage, toErrorText } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import { type HtmlPage, renderPageTemplate, SAFETY_PATH } from '#view/page.ts';
import { renderSentence, renderStrong, renderTime } from '#view/sentence.ts';
import { CASE_PATH } from '#wire/case-page.ts';
import {
  IMMEDIATE_DANGER,
  INQUIRY_PART_IDS,
  INQUIRY_SENT_SLOTS,
  WORD_TOOLS_PART,
  WORDS_CLASS,
} from '#wire/inquiry-page.ts';
import { SENT_TEMPLATE, WORDS_FIELD } from '#wire/page-parts.ts';

export function renderInquirySentPage(
  language: Language,
  addresses: Pick<PublicAddresses, 'site'>,
  { due, words, immediate }: { readonly due: ShownTime; readonly words: string; readonly immediate: boolean },
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

/** For a form that could not be sent: everything typed. Going back would show an empty form: pages are never cached. */
export function renderInquiryUnsentPage(
  language: Language,
  error: ServiceError,
  fields: FormFields,
): HtmlPage {
  const { say } = language;
  const { title, sentence } = toErrorText(error, language);
  return renderMessagePage({
    language,
    status: error.status,
    title,
    paragraphs: [sentence],
    next: html`<h2>${say('unsent.wrote')}</h2>
<p>${say('unsent.copy')}</p>
<dl class="told">${listTypedTexts(language, fields).map(({ label, text }) => html`<div><dt>${label}</dt><dd dir="auto">${text}</dd></div>`)}</dl>`,
  });
}

function listTypedTexts(language: Language, fields: FormFields): readonly { label: string; text: string }[] {
  return inquirySectionNames.flatMap(listSectionControls).flatMap(({ name, field }) => {
    const label = findTypedLabel(language, { name, field });
    const text = fields.get(name);
    return label && text ? [{ label, text }] : [];
  });
}

/** Undefined for choices, which are quick to make again. */
function findTypedLabel({ find }: Language, { name, field }: InquiryFormControl): string | undefined {
  const isTyped = field.kind === 'line' || field.kind === 'area' || field.kind === 'list';
  return isTyped ? (find(`field.${name}.unsent`) ?? find(`field.${name}`)) : undefined;
}

const STEPS = ['steps.paid', 'steps.question', 'steps.case'] as const;
export const STEP_COUNT = STEPS.length;

/** The three steps of an inquiry, with the current one marked. */
export function renderInquirySteps(say: Say, current: 2 | 3): Html {
  const steps = STEPS.map((key, index) => {
    const number = index + 1;
    if (number < current) return html`<li class="done"><b aria-hidden="true">✓</b>${say(key)}</li>`;
    const ariaCurrent = number === current ? 'step' : null;
    return html`<li aria-current="${ariaCurrent}"><b aria-hidden="true">${number}</b>${say(key)}</li>`;
  });
  const place = say('steps.place', { step: current, count: STEP_COUNT });
  return html`<nav aria-label="${place}"><ol class="steps">${steps}</ol></nav>`;
}

const WORD_COUNT = 12;

export function renderWordsList(words: string, id: string): Html {
  return html`<ol class="${WORDS_CLASS}" id="${id}" translate="no" lang="en">${words.split(' ').map((word) => html`<li>${word}</li>`)}</ol>`;
}

/** The script fills it. */
function renderEmptyWordsList(slot: string): Html {
  return html`<ol class="${WORDS_CLASS}" data-slot="${slot}" translate="no" lang="en">${Array.from({ length: WORD_COUNT }, () => html`<li></li>`)}</ol>`;
}

/** The list, and the script's buttons to print or copy it. On paper, only `.words-alone` remains of the page. The checkbox has no name, so it is not sent with the form. */
export function renderWordsBox(say: Say, list: Html, { site }: Pick<PublicAddresses, 'site'>): Html {
  return html`<div class="keep">
<div class="words-alone">${list}<p class="way-back" translate="no">${site}/case</p></div>
<div class="tools" data-part="${WORD_TOOLS_PART}" hidden><button class="button quiet" type="button" data-print>${say('words.print')}</button><button class="button quiet" type="button" data-copy>${say('words.copy')}</button><button class="button quiet" type="button" data-mask>${say('words.hide')}</button><label class="with-address"><input type="checkbox"><span>${say('words.print.address')}<span class="hint">${say('words.print.address.hint')}</span></span></label><p class="small" role="status"></p></div>
</div>`;
}
