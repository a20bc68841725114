/** What a form sent, by the names of its fields, and what was wrong with it. */

export type FormFields = ReadonlyMap<string, string>;

export interface FormFault {
  readonly field: string;
  readonly message: string;
}

export function isTicked(fields: FormFields, name: string): boolean {
  return fields.get(name) === 'yes';
}

export function readLineField(fields: FormFields, name: string): string {
  return (fields.get(name) ?? '').trim();
}

/** Browsers send line ends as CRLF when they send a form, and as LF when a script reads it. */
export function readMultilineField(fields: FormFields, name: string): string {
  return (fields.get(name) ?? '').replaceAll('\r\n', '\n').trim();
}

/** A list as a text area holds it: an entry on each line; an empty line is none. */
export function readListField(fields: FormFields, name: string): readonly string[] {
  return (fields.get(name) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
