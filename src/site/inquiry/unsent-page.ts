/** The page for a form that could not be sent: the reason, and everything typed so that it can be copied. */
import { ENGLISH } from '#language/languages.ts';
import type { ServiceError } from '#platform/errors.ts';
import type { FormFields } from '#seal/form-fields.ts';
import { type InquiryFormControl, inquirySectionNames, listSectionControls } from '#seal/inquiry-form.ts';
import { toErrorText } from '#site/error-page.ts';
import { html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';

/** Going back would show an empty form, because pages are deliberately never cached. */
export function renderInquiryUnsentPage(error: ServiceError, fields: FormFields): HtmlPage {
  const { title, sentence } = toErrorText(error, ENGLISH);
  return {
    title,
    status: error.status,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
<p>${sentence}</p>
<h2>What you wrote</h2>
<p>Copy it now: we have kept nothing of it.</p>
<dl class="told">${listTypedTexts(fields).map(({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
</div>`,
  };
}

function listTypedTexts(fields: FormFields): readonly { label: string; text: string }[] {
  return inquirySectionNames.flatMap(listSectionControls).flatMap(({ name, field }) => {
    const label = getTypedLabel(field);
    const text = fields.get(name);
    return label && text ? [{ label, text }] : [];
  });
}

/** Returns null for choices, which are quickly made again. */
function getTypedLabel(field: InquiryFormControl['field']): string | null {
  const isTyped = field.kind === 'line' || field.kind === 'area' || field.kind === 'list';
  return isTyped ? (field.unsentLabel ?? field.label) : null;
}
