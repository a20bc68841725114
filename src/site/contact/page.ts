/** The contact form, and the page shown after it was sent. */
import type { SealingKeys } from '#cases/sealing/sealing-keys.ts';
import type { Language } from '#language/language.ts';
import { CONTACT_LENGTHS, type ContactMessage } from '#seal/case/contact-message.ts';
import { renderMessagePage } from '#site/message-page.ts';
import {
  type FormFieldError,
  formatErrorTitle,
  renderProblemList,
  renderRadioGroup,
  renderSealingNote,
  renderTextArea,
  renderTextField,
  toFieldState,
} from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { type HtmlPage, renderPageTemplate } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { CONTACT_FORM_ID, type ContactField } from '#wire/contact-page.ts';
import { SENT_TEMPLATE } from '#wire/page-parts.ts';

const TOPICS = [
  'question',
  'payment',
  'privacy_request',
  'abuse_report',
  'security',
  'press',
] as const satisfies readonly ContactMessage['topic'][];

interface ContactFormState {
  readonly language: Language;
  readonly keys: Pick<SealingKeys, 'desk' | 'set'>;
  readonly fields?: ReadonlyMap<string, string>;
  readonly faults?: readonly FormFieldError[];
  /** The status of a form with faults. */
  readonly status?: number;
}

export function renderContactPage({
  language,
  keys,
  fields = new Map(),
  faults = [],
  status = 422,
}: ContactFormState): HtmlPage {
  const { say } = language;
  const title = say('contact.title');
  const toContactField = (name: ContactField) => toFieldState({ fields, faults }, name);
  return {
    title: faults.length > 0 ? formatErrorTitle(say, title) : title,
    status: faults.length > 0 ? status : 200,
    language,
    ...(faults.length === 0 && { description: say('contact.description') }),
    confidential: true,
    script: 'contact',
    main: html`<div class="wrap text">
${renderProblemList(say, faults)}
<h1>${title}</h1>
<p>${renderSentence(language, 'contact.lead', { link: renderCaseLink })} ${say('contact.when')}</p>
<form id="${CONTACT_FORM_ID}" method="post" action="/contact" novalidate autocomplete="off" data-desk="${keys.desk.join(' ')}" data-sealing-set="${keys.set}">
${renderRadioGroup(say, {
  ...toContactField('topic'),
  label: say('contact.topic'),
  choices: TOPICS.map((value) => ({
    value,
    text: say(`contact.topic.${value}`),
    ...(value === 'payment' && { hint: say('contact.topic.payment.hint') }),
  })),
})}
${renderTextArea(say, {
  ...toContactField('message'),
  label: say('contact.message'),
  hint: say('contact.message.hint', CONTACT_LENGTHS.message),
  limit: CONTACT_LENGTHS.message.max,
})}
${renderTextField(say, {
  ...toContactField('reply_to'),
  label: say('contact.reply_to'),
  hint: say('contact.reply_to.hint'),
  optional: true,
  limit: 254,
})}
${renderSealingNote({
  server: renderSentence(language, 'contact.note.server', { strong: renderStrong }),
  browser: renderSentence(language, 'contact.note.browser', { strong: renderStrong }),
})}
<div class="acts"><button class="button" type="submit" id="send">${say('contact.send')}</button></div>
</form>
</div>
${renderPageTemplate(SENT_TEMPLATE, renderContactSentPage(language))}`,
  };
}

/** Shown instead of the form while there is no room for messages. */
export function renderFullContactPage(language: Language, maintainer: string): HtmlPage {
  const link = (text: Html) => html`<a href="mailto:${maintainer}">${text}</a>`;
  return renderMessagePage({
    language,
    status: 503,
    title: language.say('contact.title'),
    paragraphs: [
      renderSentence(language, 'contact.full', { address: maintainer, link }),
      renderSentence(language, 'contact.full.case', { link: renderCaseLink }),
    ],
  });
}

export function renderContactSentPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    title: say('contact.sent.title'),
    paragraphs: [say('contact.sent')],
    next: { href: '/', text: say('frame.home') },
  });
}

function renderCaseLink(text: Html): Html {
  return html`<a href="/case">${text}</a>`;
}
