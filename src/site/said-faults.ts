/** The faults of a form in the reader's language. */
import type { Language } from '#language/language.ts';
import type { FormFault } from '#seal/form/form-fields.ts';
import type { FormFieldError } from '#view/form.ts';
import { sayText } from '#wire/said-text.ts';

export function sayFaults(language: Language, faults: readonly FormFault[]): readonly FormFieldError[] {
  return faults.map(({ field, message }) => ({ field, message: sayText(language, message) }));
}
