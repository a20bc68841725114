/** Form fields for the times at which the buyer may be called. */
import { CALL_WINDOW_ROWS, CALL_ZONE_CONTROL } from '#seal/call-form.ts';
import type { FormFault, FormFields } from '#seal/form-fields.ts';
import { renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { toFieldState } from './filled-field.ts';

interface CallTimesForm {
  readonly hint: string;
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

export function renderCallTimes(form: CallTimesForm): Html {
  const rows = Array.from({ length: CALL_WINDOW_ROWS }, (_, index) => index + 1);
  return html`<fieldset class="field"><legend>When may we call you? <span class="optional">(optional)</span></legend>
<p class="hint">${form.hint}</p>
${rows.map(
  (row) =>
    html`<div class="pair">${renderTextField({
      ...toFieldState(form, `call_${row}_start`),
      label: row === 1 ? 'From' : `Or from (${row})`,
      type: 'datetime-local',
      optional: true,
    })}${renderTextField({
      ...toFieldState(form, `call_${row}_end`),
      label: row === 1 ? 'To' : `To (${row})`,
      type: 'datetime-local',
      optional: true,
    })}</div>`,
)}
${renderTextField({ ...toFieldState(form, CALL_ZONE_CONTROL), label: 'Your time zone', hint: 'The city your device’s clock is set to, such as Paris or New York, or UTC.', optional: true })}
</fieldset>`;
}
