/** The part of the case page where a buyer asks for notices and reads what they reveal. */

import { FIRST_REMINDER_DAYS, SECOND_REMINDER_HOURS } from '#cases/notices/notice-times.ts';
import type { Say } from '#language/catalogue.ts';
import { toFieldState } from '#site/filled-field.ts';
import { renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { CASE_ACTION_FORMS, CASE_FORM_FIELDS, CASE_PARTS } from '#wire/case-page.ts';
import { type CaseFormsState, hasFault, renderFold, renderWordsField } from './forms.ts';

export function renderNoticeFold(forms: CaseFormsState, say: Say): Html {
  const content = html`<p>${say('notice.intro')}</p>
${renderByMail(forms, say)}
${renderByCalendar(say)}`;
  return renderFold(say('notice.title'), content, {
    part: CASE_PARTS.notices,
    isHidden: !forms.may.notify,
    isOpen: hasFault(forms, CASE_FORM_FIELDS.notify),
  });
}

function renderByMail(forms: CaseFormsState, say: Say): Html {
  const isOpen = forms.may.silence || hasFault(forms, CASE_FORM_FIELDS.notify);
  return html`<details class="help" ?open="${isOpen}"><summary>${say('notice.by_mail')}</summary>
<p>${say('notice.about', { days: FIRST_REMINDER_DAYS, hours: SECOND_REMINDER_HOURS })}</p>
<p>${say('notice.price')}</p>
${renderSilenceForm(forms, say)}
${renderAddressForm(forms, say)}
</details>`;
}

/** The address itself is not shown: another person who has the words need not know it. */
function renderSilenceForm(forms: CaseFormsState, say: Say): Html {
  return html`<form class="act" id="${CASE_ACTION_FORMS.silence}" method="post" action="/case/silence" autocomplete="off" ?hidden="${!forms.may.silence}">
${renderWordsField(forms)}<p><b>${say('notice.on')}</b></p>
<div class="acts"><button class="button quiet" type="submit" id="${CASE_FORM_FIELDS.silence}" name="${CASE_FORM_FIELDS.silence}" value="yes">${say('notice.stop')}</button></div>
</form>`;
}

function renderAddressForm(forms: CaseFormsState, say: Say): Html {
  return html`<form class="act" id="${CASE_ACTION_FORMS.notify}" method="post" action="/case/notify" data-unsure="${say('notice.address.invalid')}" novalidate autocomplete="off" ?hidden="${!forms.may.notify}">
${renderWordsField(forms)}
${renderTextField(say, {
  ...toFieldState(forms, CASE_FORM_FIELDS.notify),
  type: 'email',
  label: say('notice.address'),
  hint: say('notice.address.hint'),
})}
<div class="acts"><button class="button quiet" type="submit">${say('notice.save')}</button></div>
</form>`;
}

/** A reminder made in the browser, so the part is hidden if no script runs. */
function renderByCalendar(say: Say): Html {
  return html`<details class="help" data-part="${CASE_PARTS.reminder}" hidden><summary>${say('notice.by_calendar')}</summary>
<p>${say('notice.calendar.about', { title: say('notice.calendar.title'), days: FIRST_REMINDER_DAYS })}</p>
<div class="acts"><button class="button quiet" type="button">${say('notice.calendar.save')}</button></div>
</details>`;
}
