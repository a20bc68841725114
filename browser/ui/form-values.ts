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

export function clearTypedText(fields: Iterable<Element>): void {
  for (const field of fields)
    if (isTextControl(field) && !(field instanceof HTMLSelectElement)) field.value = '';
}

const UNTYPED = ['checkbox', 'file', 'hidden', 'radio'];

/** Whether its value is a text that people type or choose. */
export function isTextControl(
  field: Element,
): field is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement {
  return (
    field instanceof HTMLTextAreaElement ||
    field instanceof HTMLSelectElement ||
    (field instanceof HTMLInputElement && !UNTYPED.includes(field.type))
  );
}

/** Splits the recipients of a `data-desk` attribute. */
export function parseRecipientList(text: string | undefined): readonly string[] {
  return text?.split(' ').filter((recipient) => recipient !== '') ?? [];
}
