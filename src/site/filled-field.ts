/** What a form shows after a failed submission: faults in the reader's language, and each field's value and error. */
import type { Language } from '#language/language.ts';
import type { FormFault, FormFields } from '#seal/form/form-fields.ts';
import type { FormFieldError } from '#view/form.ts';
import { sayText } from '#wire/said-text.ts';

interface SubmittedForm {
  readonly fields: FormFields;
  readonly faults: readonly FormFieldError[];
}

interface FilledField {
  readonly name: string;
  readonly value: string | undefined;
  readonly error: string | undefined;
}

export function toFieldState({ fields, faults }: SubmittedForm, name: string): FilledField {
  return { name, value: fields.get(name), error: faults.find(({ field }) => field === name)?.message };
}

export function sayFaults(language: Language, faults: readonly FormFault[]): readonly FormFieldError[] {
  return faults.map(({ field, message }) => ({ field, message: sayText(language, message) }));
}
