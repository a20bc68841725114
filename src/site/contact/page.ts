/** The contact form, and the page shown after it was sent. */
import type { SealingKeys } from '#cases/sealing-keys.ts';
import {
  type FormFieldError,
  renderProblemList,
  renderRadioGroup,
  renderTextArea,
  renderTextField,
} from '#view/form.ts';
import { html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { renderSealingNote } from '#view/sealing-note.ts';
import { CONTACT_FORM_ID, type ContactField } from '#wire/contact-page.ts';
import { ERROR_MARK, SENT_TEMPLATE } from '#wire/page-parts.ts';

const TITLE = 'Write to us';
const SENT_TITLE = 'Thank you';

interface ContactFormState {
  readonly keys: Pick<SealingKeys, 'desk' | 'set'>;
  readonly fields?: ReadonlyMap<string, string>;
  readonly faults?: readonly FormFieldError[];
  /** Of a form with faults. */
  readonly status?: number;
}

export function renderContactPage({
  keys,
  fields = new Map(),
  faults = [],
  status = 422,
}: ContactFormState): HtmlPage {
  const toContactField = (name: ContactField) => ({
    name,
    value: fields.get(name),
    error: faults.find(({ field }) => field === name)?.message,
  });
  return {
    title: faults.length > 0 ? ERROR_MARK + TITLE : TITLE,
    status: faults.length > 0 ? status : 200,
    confidential: true,
    script: 'contact',
    main: html`<div class="wrap text">
${renderProblemList(faults)}
<h1>${TITLE}</h1>
<p>Only our investigators can read this. About a case that is open, write on <a href="/case">your case page</a> instead.</p>
<form id="${CONTACT_FORM_ID}" method="post" action="/contact" novalidate autocomplete="off" data-desk="${keys.desk.join(' ')}" data-sealing-set="${keys.set}">
${renderRadioGroup({
  ...toContactField('topic'),
  label: 'What is it about?',
  choices: [
    { value: 'question', text: 'A question' },
    { value: 'privacy_request', text: 'My data' },
    { value: 'abuse_report', text: 'Somebody misuses this service' },
    { value: 'security', text: 'A weakness in this service' },
    { value: 'press', text: 'The press' },
  ],
})}
${renderTextArea({ ...toContactField('message'), label: 'Your message', maxLength: 4000 })}
${renderTextField({
  ...toContactField('reply_to'),
  label: 'Where may we answer?',
  hint: 'An e-mail address or a number that only you read. Without it we cannot answer.',
  optional: true,
  maxLength: 254,
})}
${renderSealingNote({
  server: html`<b>Your browser runs no script for this page.</b> Our server locks your message the moment it arrives, and can read it for that moment. Nothing readable is stored.`,
  browser: html`<b>Locked in your browser.</b> Our server never sees the text.`,
})}
<div class="acts"><button class="button" type="submit" id="send">Send</button></div>
</form>
</div>
${renderPageTemplate(SENT_TEMPLATE, contactSentPage)}`,
  };
}

/** In place of the form while there is no room for messages. */
export function renderFullContactPage(maintainer: string): HtmlPage {
  return {
    title: TITLE,
    status: 503,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${TITLE}</h1>
<p>Our box is full at the moment. Please write to <a href="mailto:${maintainer}">${maintainer}</a> instead. E-mail can be read on its way, so put nothing about a case into it.</p>
<p>About a case that is open, write on <a href="/case">your case page</a>: it has room.</p>
</div>`,
  };
}

export const contactSentPage: HtmlPage = {
  title: SENT_TITLE,
  confidential: true,
  main: html`<div class="wrap text">
<h1 tabindex="-1">${SENT_TITLE}</h1>
<p>Your message has arrived, locked. If you left an address that only you read, we answer there.</p>
<div class="acts"><a class="button" href="/">Go to the first page</a></div>
</div>`,
};
