/** Renders form fields, each with its label, hint and error linked for assistive technology. */
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import type { FormFault, FormFields } from '#seal/form/form-fields.ts';
import {
  ERROR_CLASS,
  FIELD_CLASS,
  PART_IDS,
  SEALED_WHERE,
  type SealedWhere,
  toCountId,
  toErrorId,
  WRONG_CLASS,
} from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { type Html, html } from './html.ts';

/** The class of a group of choices. */
export const CHOICES_CLASS = 'picks';

export interface FormFieldError {
  /** The id of the field. */
  readonly field: string;
  readonly message: string;
}

export function sayFaults(language: Language, faults: readonly FormFault[]): readonly FormFieldError[] {
  return faults.map(({ field, message }) => ({ field, message: sayText(language, message) }));
}

/** What a field shows after a failed submission. */
export function toFieldState(
  { fields, faults }: { readonly fields: FormFields; readonly faults: readonly FormFieldError[] },
  name: string,
): Pick<TextField, 'name' | 'value' | 'error'> {
  return { name, value: fields.get(name), error: faults.find(({ field }) => field === name)?.message };
}

/** The container of the error summary; empty until the server or the page's script finds an error. */
export function renderProblemList(say: Say, problems: readonly FormFieldError[]): Html {
  return html`<div id="${PART_IDS.problems}">${renderErrorSummary(say, problems)}</div>`;
}

/** Placed first on the page; repeats the errors of the fields. */
export function renderErrorSummary(say: Say, problems: readonly FormFieldError[]): Html | null {
  if (problems.length === 0) return null;
  return html`<div class="problems" role="alert" aria-labelledby="${PART_IDS.problemsTitle}" tabindex="-1">
<h2 id="${PART_IDS.problemsTitle}">${say('form.problems')}</h2>
<ul>${problems.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}</ul>
</div>`;
}

/** The title of a page whose form has errors. */
export function formatErrorTitle(say: Say, title: string): string {
  return `${say('form.error')} ${title}`;
}

/** Says where the reader's text is sealed or opened: on the server, or in the browser once the script runs. */
export function renderSealingNote({ server, browser }: Readonly<Record<SealedWhere, Html>>): Html {
  return html`<div id="${PART_IDS.sealingNote}" class="note" role="status">
<p data-when="${SEALED_WHERE.server}">${server}</p>
<p data-when="${SEALED_WHERE.browser}" hidden>${browser}</p>
</div>`;
}

export function renderFieldGroup(title: string, fields: readonly Html[]): Html {
  return html`<fieldset class="group"><legend><h2>${title}</h2></legend>${fields}</fieldset>`;
}

interface Field {
  /** Also the id, so that the error summary can link to the field. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly optional?: boolean;
}

interface TextField extends Field {
  readonly value?: string | undefined;
  readonly type?: 'text' | 'email' | 'tel' | 'datetime-local';
  /** The browser truncates longer text, so set it only for text that is not typed by hand. */
  readonly maxLength?: number;
  /** How many characters are accepted; the page counts them but truncates nothing. */
  readonly limit?: number;
  /** Off by default because browsers store what they may fill in. */
  readonly autocomplete?: string;
  /** The language of the typed text, if it is not the reader's. */
  readonly lang?: 'en';
  /** The keyboard that a phone shows. */
  readonly inputMode?: 'numeric';
}

/** Typed text must stay on the page: some spelling checkers and translators send it to their vendors. */
export function renderTextField(say: Say, field: TextField): Html {
  const { name, value = '', type = 'text', maxLength, limit, autocomplete = 'off', inputMode, lang } = field;
  return renderLabeledField(
    say,
    field,
    html`<input class="input half" type="${type}" id="${name}" name="${name}" value="${value}" inputmode="${inputMode}" maxlength="${maxLength}" data-limit="${limit}" autocomplete="${autocomplete}" spellcheck="false" autocapitalize="none" autocorrect="off" translate="no" lang="${lang}" ?required="${!field.optional}" aria-describedby="${toAriaDescribedBy(field)}" aria-invalid="${toAriaInvalid(field)}">${limit && html`<p class="hint" id="${toCountId(name)}" hidden></p>`}`,
  );
}

export function renderTextArea(say: Say, field: TextField & { readonly rows?: number }): Html {
  const { name, value = '', limit, rows = 6, lang } = field;
  // Browsers drop a newline after the tag; this extra one preserves a newline at the start of the value.
  return renderLabeledField(
    say,
    field,
    html`<textarea class="input" id="${name}" name="${name}" rows="${rows}" data-limit="${limit}" autocomplete="off" spellcheck="false" autocapitalize="none" autocorrect="off" translate="no" lang="${lang}" ?required="${!field.optional}" aria-describedby="${toAriaDescribedBy(field)}" aria-invalid="${toAriaInvalid(field)}">\n${value}</textarea>${limit && html`<p class="hint" id="${toCountId(name)}">${say('form.limit', { count: limit })}</p>`}`,
  );
}

export interface Choice {
  readonly value: string;
  readonly text: string;
  readonly hint?: string;
}

interface ChoiceField extends Field {
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
}

export function renderSelectField(say: Say, field: ChoiceField): Html {
  const { name, choices, value } = field;
  const options = choices.map(
    (choice) =>
      html`<option value="${choice.value}" ?selected="${choice.value === value}">${choice.text}</option>`,
  );
  return renderLabeledField(
    say,
    field,
    html`<select class="input half" id="${name}" name="${name}" ?required="${!field.optional}" aria-describedby="${toAriaDescribedBy(field)}" aria-invalid="${toAriaInvalid(field)}">${options}</select>`,
  );
}

/** The first choice has the field's id, because the error summary links to it. */
export function renderRadioGroup(say: Say, field: ChoiceField): Html {
  const { name, choices, value, label } = field;
  const radioButtons = choices.map((choice, index) => {
    const id = index === 0 ? name : `${name}-${index + 1}`;
    return renderOption({
      id,
      text: choice.text,
      hint: choice.hint,
      input: (describedBy) =>
        html`<input type="radio" id="${id}" name="${name}" value="${choice.value}" ?checked="${choice.value === value}" ?required="${!field.optional}" aria-describedby="${describedBy}">`,
    });
  });
  return html`<fieldset class="${getFieldClass(field)}" aria-describedby="${toAriaDescribedBy(field)}"><legend>${label}${renderOptionalMark(say, field)}</legend>${renderHintAndError(say, field)}<div class="${CHOICES_CLASS}">${radioButtons}</div></fieldset>`;
}

interface Checkbox extends Field {
  readonly checked?: boolean;
}

export function renderCheckbox(say: Say, field: Checkbox): Html {
  const { name, label, hint, error, checked = false } = field;
  const box = renderOption({
    id: name,
    text: label,
    hint,
    input: (describedBy) =>
      html`<input type="checkbox" id="${name}" name="${name}" value="yes" ?checked="${checked}" ?required="${!field.optional}" aria-describedby="${joinIds(describedBy, error && toErrorId(name))}" aria-invalid="${toAriaInvalid(field)}">`,
  });
  return html`<div class="${getFieldClass(field)}">${renderFieldError(say, field)}<div class="${CHOICES_CLASS}">${box}</div></div>`;
}

/** Replaces a field that has moved: an older page may still submit it, and the error summary must have a target. */
export function renderFieldNote(
  say: Say,
  field: Pick<Field, 'name' | 'error'>,
  note: Html | null,
): Html | null {
  if (field.error === undefined) return note;
  return html`<div class="${getFieldClass(field)}" id="${field.name}" tabindex="-1">${renderFieldError(say, field)}${note}</div>`;
}

/** For any number of files. */
export function renderFileField(say: Say, field: Field): Html {
  const { name } = field;
  return renderLabeledField(
    say,
    field,
    html`<input class="input" type="file" id="${name}" name="${name}" multiple ?required="${!field.optional}" aria-describedby="${toAriaDescribedBy(field)}" aria-invalid="${toAriaInvalid(field)}">`,
  );
}

function renderLabeledField(say: Say, field: Field, input: Html): Html {
  return html`<div class="${getFieldClass(field)}"><label for="${field.name}">${field.label}${renderOptionalMark(say, field)}</label>${renderHintAndError(say, field)}${input}</div>`;
}

interface LabeledOption {
  readonly id: string;
  readonly text: string;
  readonly hint: string | undefined;
  readonly input: (describedBy: string | null) => Html;
}

/** One radio button or checkbox with its label and hint. */
function renderOption({ id, text, hint, input }: LabeledOption): Html {
  const note = hint ? html`<span class="hint" id="${id}-note">${hint}</span>` : null;
  return html`<label class="pick">${input(hint ? `${id}-note` : null)}<span>${text}</span>${note}</label>`;
}

function renderHintAndError(say: Say, field: Field): Html {
  const { name, hint } = field;
  return html`${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}${renderFieldError(say, field)}`;
}

function renderFieldError(say: Say, { name, error }: Pick<Field, 'name' | 'error'>): Html | null {
  return error
    ? html`<p class="${ERROR_CLASS}" id="${toErrorId(name)}"><span class="unseen">${say('form.error')} </span>${error}</p>`
    : null;
}

function getFieldClass({ error }: Pick<Field, 'error'>): string {
  return error ? `${FIELD_CLASS} ${WRONG_CLASS}` : FIELD_CLASS;
}

function renderOptionalMark(say: Say, { optional }: Field): Html | null {
  return optional ? html` <span class="optional">${say('form.optional')}</span>` : null;
}

function toAriaDescribedBy({ name, hint, error, limit }: Field & { readonly limit?: number }): string | null {
  return joinIds(hint && `${name}-hint`, limit ? toCountId(name) : null, error && toErrorId(name));
}

function joinIds(...ids: (string | null | undefined)[]): string | null {
  return ids.filter(Boolean).join(' ') || null;
}

function toAriaInvalid({ error }: Field): string | null {
  return error ? 'true' : null;
}
