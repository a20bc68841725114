/** Renders the fields of the inquiry form from the table of fields. */
import { countryCodes } from '#seal/countries.ts';
import { type FormFault, type FormFields, isTicked } from '#seal/form-fields.ts';
import { findDefaultChoice } from '#seal/inquiry-field-kinds.ts';
import { type InquiryFormControl, listSectionControls } from '#seal/inquiry-form.ts';
import type { InquirySection } from '#seal/inquiry-sections.ts';
import { formatCountryName } from '#seal/inquiry-text.ts';
import { renderCallTimes } from '#site/call-times.ts';
import { toFieldState } from '#site/filled-field.ts';
import {
  type Choice,
  renderCheckbox,
  renderFileField,
  renderRadioGroup,
  renderSelectField,
  renderTextArea,
  renderTextField,
} from '#view/form.ts';
import type { Html } from '#view/html.ts';

interface FilledForm {
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
  /** Whether the tier includes a call; if so, the form asks for its times. */
  readonly includesCall: boolean;
}

export function renderSectionFields(form: FilledForm, section: InquirySection): readonly Html[] {
  return listSectionControls(section).flatMap((control) => renderInquiryField(form, control) ?? []);
}

function renderInquiryField(form: FilledForm, { name, field }: InquiryFormControl): Html | null {
  const state = toFieldState(form, name);
  switch (field.kind) {
    case 'line':
      return renderTextField({ ...state, ...toFieldText(field), optional: !field.min, limit: field.max });
    case 'area':
      return renderTextArea({
        ...state,
        ...toFieldText(field),
        optional: !field.min,
        rows: field.rows,
        limit: field.max,
      });
    case 'list':
      return renderTextArea({ ...state, ...toFieldText(field), optional: true, rows: field.rows });
    case 'choice': {
      const value = state.value ?? findDefaultChoice(field);
      return renderRadioGroup({ ...state, ...toFieldText(field), value, choices: field.options });
    }
    case 'country':
      return renderSelectField({ ...state, ...toFieldText(field), choices: listCountryChoices() });
    case 'tick':
      return renderCheckbox({ ...state, ...toFieldText(field), checked: isTicked(form.fields, name) });
    case 'call_windows':
      return form.includesCall ? renderCallTimes({ ...form, hint: field.hint }) : null;
    case 'files':
      return renderFileField({ ...state, ...toFieldText(field), optional: true, multiple: true });
  }
}

interface FieldText {
  readonly label: string;
  readonly hint?: string | undefined;
}

function toFieldText({ label, hint }: FieldText): FieldText {
  return { label, hint };
}

let countryChoices: readonly Choice[] | undefined;

/** Made for the first page that shows them, not at the start. */
function listCountryChoices(): readonly Choice[] {
  countryChoices ??= [
    { value: '', text: 'Choose a country' },
    ...countryCodes
      .map((value) => ({ value, text: formatCountryName(value) }))
      .toSorted((a, b) => a.text.localeCompare(b.text, 'en')),
  ];
  return countryChoices;
}
