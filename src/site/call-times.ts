/** Form fields for the call: the number, and the times at which the buyer may be called. */
import type { Say } from '#language/catalogue.ts';
import { MAX_CALL_NUMBER } from '#seal/case/call-window.ts';
import { CALL_NUMBER_CONTROL, CALL_ZONE_CONTROL, listCallRows } from '#seal/form/call-form.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import { type FormFieldError, renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { toFieldState } from './filled-field.ts';

interface CallForm {
  readonly fields: FormFields;
  readonly faults: readonly FormFieldError[];
}

interface CallTimesForm extends CallForm {
  readonly hint: string;
}

export function renderCallNumber(say: Say, form: CallForm): Html {
  return renderTextField(say, {
    ...toFieldState(form, CALL_NUMBER_CONTROL),
    label: say('field.call_number'),
    hint: say('field.call_number.hint'),
    type: 'tel',
    maxLength: MAX_CALL_NUMBER,
  });
}

export function renderCallTimes(say: Say, form: CallTimesForm): Html {
  return html`<fieldset class="field"><legend>${say('call.times')}</legend>
<p class="hint">${form.hint}</p>
${listCallRows().map(
  (row) =>
    html`<div class="pair">${renderTextField(say, {
      ...toFieldState(form, `call_${row}_start`),
      label: row === 1 ? say('call.from') : say('call.or_from', { row }),
      type: 'datetime-local',
      optional: row > 1,
    })}${renderTextField(say, {
      ...toFieldState(form, `call_${row}_end`),
      label: row === 1 ? say('call.to') : say('call.or_to', { row }),
      type: 'datetime-local',
      optional: row > 1,
    })}</div>`,
)}
${renderTextField(say, { ...toFieldState(form, CALL_ZONE_CONTROL), label: say('call.zone'), hint: say('call.zone.hint') })}
</fieldset>`;
}
