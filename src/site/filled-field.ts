/** What a field shows again after a try that failed. */
import type { FormFault, FormFields } from '#seal/form-fields.ts';

interface Tried {
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

interface FilledField {
  readonly name: string;
  readonly value: string | undefined;
  readonly error: string | undefined;
}

export function toFieldState({ fields, faults }: Tried, name: string): FilledField {
  return { name, value: fields.get(name), error: faults.find(({ field }) => field === name)?.message };
}
