/** Renders the fields of the inquiry form from the table of fields. */
import type { Language } from '#language/language.ts';
import { countryCodes } from '#seal/form/countries.ts';
import { type FormFields, isTicked } from '#seal/form/form-fields.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { findDefaultChoice } from '#seal/form/inquiry-field-kinds.ts';
import { FILE_LIMITS } from '#seal/form/inquiry-files.ts';
import { type InquiryFormControl, listSectionControls } from '#seal/form/inquiry-form.ts';
import type { InquirySection } from '#seal/form/inquiry-sections.ts';
import {
  type Choice,
  type FormFieldError,
  renderCheckbox,
  renderFieldNote,
  renderFileField,
  renderRadioGroup,
  renderSelectField,
  renderTextArea,
  renderTextField,
  toFieldState,
} from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { formatCountryName } from '#wire/said-text.ts';

interface FilledForm {
  readonly language: Language;
  readonly fields: FormFields;
  readonly faults: readonly FormFieldError[];
  /** Whether the tier includes a call; if so, the form says where its time is agreed on. */
  readonly includesCall: boolean;
  /** The ways to contact the buyer besides the case page. */
  readonly contactWays: readonly string[];
}

export function renderSectionFields(form: FilledForm, section: InquirySection): readonly Html[] {
  return listSectionControls(section).flatMap((control) => renderInquiryField(form, control) ?? []);
}

function renderInquiryField(form: FilledForm, control: InquiryFormControl): Html | null {
  const { name, field } = control;
  if (isOnPageAlone(form) && NEEDLESS.includes(name)) return null;
  const { language, fields, includesCall } = form;
  const { say } = language;
  if (isOnPageAlone(form) && name === MODE)
    return html`<p>${say('field.contact_mode.page_alone')}</p><input type="hidden" name="${MODE}" value="${CASE_PAGE}">`;
  const described = { ...toFieldState(form, name), ...toFieldText(language, control) };
  switch (field.kind) {
    case 'line':
      return renderTextField(say, { ...described, optional: !field.min, limit: field.max });
    case 'area':
      return renderTextArea(say, {
        ...described,
        optional: !field.min,
        rows: field.rows,
        limit: field.max,
      });
    case 'list':
      return renderTextArea(say, { ...described, optional: true, rows: field.rows });
    case 'choice': {
      const value = described.value ?? findDefaultChoice(field);
      const choices = field.options
        .filter((option) => name !== MODE || isOffered(form, option.value))
        .map((option) => toChoice(language, name, option.value));
      return renderRadioGroup(say, { ...described, value, choices });
    }
    case 'country':
      return renderSelectField(say, { ...described, choices: listCountryChoices(language) });
    case 'tick':
      return renderCheckbox(say, { ...described, checked: isTicked(fields, name) });
    // The case page has the form for the call.
    case 'call_number':
      return null;
    case 'call_windows':
      return renderFieldNote(
        say,
        described,
        includesCall ? html`<p class="apart">${say('inquiry.call')}</p>` : null,
      );
    case 'files':
      return renderFileField(say, { ...described, optional: true });
  }
}

const MODE = 'contact_mode';
const CASE_PAGE = 'return_only' satisfies Inquiry['contact']['mode'];

/** Offers only what the desk supports, and what the buyer chose on an earlier form. */
function isOffered({ contactWays, fields }: FilledForm, mode: string): boolean {
  return mode === CASE_PAGE || contactWays.includes(mode) || fields.get(MODE) === mode;
}

function isOnPageAlone({ contactWays, fields, faults }: FilledForm): boolean {
  const isChosen = (fields.get(MODE) ?? CASE_PAGE) === CASE_PAGE;
  return contactWays.length === 0 && isChosen && !faults.some(({ field }) => field.startsWith('contact_'));
}

/** Fields that are not needed if the case page is the only way to reach the buyer. */
const NEEDLESS = ['contact_value', 'contact_safe_times'];

function toFieldText({ find }: Language, { name, field }: InquiryFormControl) {
  const values = {
    ...FILE_LIMITS,
    ...(field.kind === 'list' && { count: field.maxEntries }),
    ...(field.kind === 'area' && { min: field.min ?? 0 }),
  };
  return { label: find(`field.${name}`) ?? name, hint: find(`field.${name}.hint`, values) };
}

function toChoice({ find }: Language, name: string, value: string): Choice {
  const hint = find(`field.${name}.${value}.hint`);
  return { value, text: find(`field.${name}.${value}`) ?? value, ...(hint && { hint }) };
}

const countryChoices = new Map<Language, readonly Choice[]>();

/** Created for the first page that shows them, not at startup. */
function listCountryChoices(language: Language): readonly Choice[] {
  const { say, tag } = language;
  const choices = countryChoices.get(language) ?? [
    { value: '', text: say('field.jurisdiction.choose') },
    ...countryCodes
      .map((value) => ({ value, text: formatCountryName(value, tag) }))
      .toSorted((a, b) => a.text.localeCompare(b.text, tag)),
  ];
  countryChoices.set(language, choices);
  return choices;
}
