/** Converts form fields to a case message, and validation errors back to faults of form fields. */
import { readCallWindows, toCallFieldName } from './call-form.ts';
import type { FieldError } from './fields.ts';
import { type FormFault, type FormFields, readMultilineField } from './form-fields.ts';

/** The result is unchecked: pass it to `validateCaseMessage`. */
export function readMessageFromForm(fields: FormFields): unknown {
  return { text: readMultilineField(fields, 'message'), call_windows: readCallWindows(fields) };
}

export function toMessageFormFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map(({ pointer, said }) => {
    const [, name, index, part] = pointer.split('/');
    const field = name === 'call_windows' ? toCallFieldName(Number(index), part, fields) : 'message';
    return { field, message: said };
  });
}
