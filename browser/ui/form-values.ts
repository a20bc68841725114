/** Reads the values of a form for the worker. */
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
    // Browsers submit an unnamed, empty file if none was chosen.
    else if (value.name !== '') files.push(value);
  }
  return { fields, files };
}

/** Empty if the form has no such field. */
export function readFormValue(form: HTMLFormElement, name: string): string {
  return new Map(readFormContent(form).fields).get(name) ?? '';
}

/** Splits the recipients of a `data-desk` attribute. */
export function parseRecipientList(text: string | undefined): readonly string[] {
  return text?.split(' ').filter((recipient) => recipient !== '') ?? [];
}
