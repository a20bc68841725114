/** Form fields for the times at which the buyer may be called. */
import type { Say } from '#language/catalogue.ts';
import { CALL_WINDOW_ROWS, CALL_ZONE_CONTROL } from '#seal/call-form.ts';
import type { FormFields } from '#seal/form-fields.ts';
import { type FormFieldError, renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { toFieldState } from './filled-field.ts';

interface CallTimesForm {
  readonly hint: string;
  readonly fields: FormFields;
  readonly faults: readonly FormFieldError[];
}

export function renderCallTimes(say: Say, form: CallTimesForm): Html {
  const rows = Array.from({ length: CALL_WINDOW_ROWS }, (_, index) => index + 1);
  return html`<fieldset class="field"><legend>${say('call.times')} <span class="optional">${say('form.optional')}</span></legend>
<p class="hint">${form.hint}</p>
${rows.map(
  (row) =>
    html`<div class="pair">${renderTextField(say, {
      ...toFieldState(form, `call_${row}_start`),
      label: row === 1 ? say('call.from') : say('call.or_from', { row }),
      type: 'datetime-local',
      optional: true,
    })}${renderTextField(say, {
      ...toFieldState(form, `call_${row}_end`),
      label: row === 1 ? say('call.to') : say('call.or_to', { row }),
      type: 'datetime-local',
      optional: true,
    })}</div>`,
)}
${renderTextField(say, { ...toFieldState(form, CALL_ZONE_CONTROL), label: say('call.zone'), hint: say('call.zone.hint'), optional: true })}
</fieldset>`;
}
