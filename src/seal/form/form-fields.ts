/** The submitted fields of a form by name, and the faults to report for them. */
import type { UnsaidText } from '../core/unsaid-text.ts';

export type FormFields = ReadonlyMap<string, string>;

export interface FormFault {
  /** The id of the control. */
  readonly field: string;
  readonly message: UnsaidText;
}

export function isTicked(fields: FormFields, name: string): boolean {
  return fields.get(name) === 'yes';
}

export function readLineField(fields: FormFields, name: string): string {
  return (fields.get(name) ?? '').trim();
}

/** Browsers submit line breaks as CRLF, but scripts read them as LF. */
export function readMultilineField(fields: FormFields, name: string): string {
  return (fields.get(name) ?? '').replaceAll('\r\n', '\n').trim();
}

/** Reads one entry per line and skips empty lines. */
export function readListField(fields: FormFields, name: string): readonly string[] {
  return (fields.get(name) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
