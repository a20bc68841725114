/** A form that could not be sent: why, and everything that was typed, to be copied. */
import type { ServiceError } from '#platform/errors.ts';
import type { FormFields } from '#seal/form-fields.ts';
import { toErrorText } from '#site/error-page.ts';
import { html } from '#view/html.ts';
import type { Page } from '#view/page.ts';

const typed = {
  question: 'Your question',
  subject: 'Who or what it is about',
  identifiers: 'What you already have',
  background: 'What happened so far',
  alias: 'What we may call you',
  contact_value: 'Where to reach you',
  contact_safe_times: 'When it is safe',
} as const;

/** Going back would show an empty form: the page is kept nowhere, and that is meant. */
export function renderInquiryUnsentPage(error: ServiceError, fields: FormFields): Page {
  const [title, sentence] = toErrorText(error);
  const rows = Object.entries(typed).filter(([name]) => fields.get(name));
  return {
    title,
    status: error.status,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
<p>${sentence}</p>
<h2>What you wrote</h2>
<p>Copy it now: we have kept nothing of it.</p>
<dl class="told">${rows.map(([name, label]) => html`<div><dt>${label}</dt><dd>${fields.get(name)}</dd></div>`)}</dl>
</div>`,
  };
}
