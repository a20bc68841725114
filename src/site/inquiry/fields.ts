/** The fields of the inquiry as the form shows them, made from the table of fields. */
import { countryCodes } from '#seal/countries.ts';
import { type FormFault, type FormFields, isTicked } from '#seal/form-fields.ts';
import { findDefaultChoice } from '#seal/inquiry-field-kinds.ts';
import { type InquiryFormControl, listSectionControls } from '#seal/inquiry-form.ts';
import type { InquirySection } from '#seal/inquiry-sections.ts';
import { formatCountryName } from '#seal/inquiry-text.ts';
import { renderCallTimes } from '#site/call-times.ts';
import { toFieldState } from '#site/filled-field.ts';
import {
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
  /** Whether the tier includes a call, whose times may then be given. */
  readonly includesCall: boolean;
}

export function renderSectionFields(form: FilledForm, section: InquirySection): readonly Html[] {
  return listSectionControls(section).flatMap((control) => renderInquiryField(form, control) ?? []);
}

function renderInquiryField(form: FilledForm, { name, field }: InquiryFormControl): Html | null {
  const state = toFieldState(form, name);
  switch (field.kind) {
    case 'line':
      return renderTextField({ ...state, ...toAskedText(field), optional: !field.min, maxLength: field.max });
    case 'area':
      return renderTextArea({
        ...state,
        ...toAskedText(field),
        optional: !field.min,
        rows: field.rows,
        maxLength: field.max,
      });
    case 'list':
      return renderTextArea({ ...state, ...toAskedText(field), optional: true, rows: field.rows });
    case 'choice': {
      const value = state.value ?? findDefaultChoice(field);
      return renderRadioGroup({ ...state, ...toAskedText(field), value, choices: field.options });
    }
    case 'country':
      return renderSelectField({ ...state, ...toAskedText(field), choices: countries });
    case 'tick':
      return renderCheckbox({ ...state, ...toAskedText(field), checked: isTicked(form.fields, name) });
    case 'call_windows':
      return form.includesCall ? renderCallTimes({ ...form, hint: field.hint }) : null;
    case 'files':
      return renderFileField({ ...state, ...toAskedText(field), optional: true, multiple: true });
  }
}

interface AskedText {
  readonly label: string;
  readonly hint?: string | undefined;
}

function toAskedText({ label, hint }: AskedText): AskedText {
  return { label, hint };
}

const countries = [
  { value: '', text: 'Choose a country' },
  ...countryCodes
    .map((value) => ({ value, text: formatCountryName(value) }))
    .toSorted((a, b) => a.text.localeCompare(b.text, 'en')),
];
