/** Times for a call as a form offers them: rows of a start and an end, and one zone for all. */
import { type FormFields, line } from './form-fields.ts';

/** How many times for a call a form offers. */
export const CALL_ROWS = 3;

/** A row that was left empty does not count. */
export function callWindowsIn(fields: FormFields): unknown[] {
  return filledRows(fields).map((row) => ({
    start: line(fields, `call_${row}_start`),
    end: line(fields, `call_${row}_end`),
    zone: line(fields, 'call_zone'),
  }));
}

/** Which field holds a part of the window at a place. */
export function callField(index: number, part: string | undefined, fields: FormFields): string {
  const row = filledRows(fields)[index] ?? 1;
  return part === 'zone' ? 'call_zone' : `call_${row}_${part ?? 'start'}`;
}

function filledRows(fields: FormFields): number[] {
  return Array.from({ length: CALL_ROWS }, (_none, index) => index + 1).filter(
    (row) => line(fields, `call_${row}_start`) !== '' || line(fields, `call_${row}_end`) !== '',
  );
}
