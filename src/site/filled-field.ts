/** The value and the error that a field shows after a failed submission. */
import type { FormFields } from '#seal/form/form-fields.ts';
import type { FormFieldError } from '#view/form.ts';

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
