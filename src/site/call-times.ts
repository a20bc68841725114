/** Form fields for the times at which the buyer may be called. */
import { CALL_WINDOW_ROWS } from '#seal/call-form.ts';
import type { FormFault, FormFields } from '#seal/form-fields.ts';
import { type Choice, renderSelectField, renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { toFieldState } from './filled-field.ts';

interface CallTimesForm {
  readonly hint: string;
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

export function renderCallTimes(form: CallTimesForm): Html {
  const rows = Array.from({ length: CALL_WINDOW_ROWS }, (_, index) => index + 1);
  const zone = toFieldState(form, 'call_zone');
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
${renderSelectField({ ...zone, value: zone.value ?? 'UTC', label: 'Time zone', optional: true, choices: listZoneChoices() })}
</fieldset>`;
}

let zoneChoices: readonly Choice[] | undefined;

/** Made for the first page that shows them, not at the start. */
function listZoneChoices(): readonly Choice[] {
  zoneChoices ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (value) => ({ value, text: value.replaceAll('_', ' ') }),
  );
  return zoneChoices;
}
