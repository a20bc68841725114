/** The page for a form that could not be sent: the reason, and everything typed so that it can be copied. */
import type { Language } from '#language/language.ts';
import type { ServiceError } from '#platform/errors.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import {
  type InquiryFormControl,
  inquirySectionNames,
  listSectionControls,
} from '#seal/form/inquiry-form.ts';
import { toErrorText } from '#site/error-page.ts';
import { html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';

/** Going back would show an empty form, because pages are deliberately never cached. */
export function renderInquiryUnsentPage(
  language: Language,
  error: ServiceError,
  fields: FormFields,
): HtmlPage {
  const { say } = language;
  const { title, sentence } = toErrorText(error, language);
  return {
    title,
    status: error.status,
    language,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
<p>${sentence}</p>
<h2>${say('unsent.wrote')}</h2>
<p>${say('unsent.copy')}</p>
<dl class="told">${listTypedTexts(language, fields).map(({ label, text }) => html`<div><dt>${label}</dt><dd dir="auto">${text}</dd></div>`)}</dl>
</div>`,
  };
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
