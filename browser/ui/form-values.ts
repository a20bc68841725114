/** A form of the page, as the sealer is given it. */
import type { FormEntry } from '#browser/rpc/jobs.ts';

export interface FormContent {
  readonly fields: readonly FormEntry[];
  readonly files: readonly File[];
}

export function readFormContent(form: HTMLFormElement): FormContent {
  const fields: FormEntry[] = [];
  const files: File[] = [];
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') fields.push([name, value]);
    // Browsers give an unnamed, empty file where none was chosen.
    else if (value.name !== '') files.push(value);
  }
  return { fields, files };
}

/** Empty where the form has no such field. */
export function readFormValue(form: HTMLFormElement, name: string): string {
  return new Map(readFormContent(form).fields).get(name) ?? '';
}

/** Recipients as the page carries them. */
export function parseRecipientList(text: string | undefined): readonly string[] {
  return text?.split(' ').filter((recipient) => recipient !== '') ?? [];
}
