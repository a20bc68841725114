/** Converts form fields to a case message, and validation errors back to faults of form fields. */
import type { AttachedFileFacts } from '../files/attached-file.ts';
import { CALL_NUMBER_CONTROL, FIRST_CALL_CONTROL, readCallWindows, toCallFieldName } from './call-form.ts';
import type { FieldError } from './field-rules.ts';
import { type FormFault, type FormFields, readLineField, readMultilineField } from './form-fields.ts';
import { FILES_CONTROL } from './inquiry-sections.ts';

const TEXT_CONTROL = 'message';

/** The result is unchecked: pass it to `validateCaseMessage`. */
export function readMessageFromForm(fields: FormFields, files: readonly AttachedFileFacts[] = []): unknown {
  const windows = readCallWindows(fields);
  return {
    text: readMultilineField(fields, TEXT_CONTROL),
    call_windows: windows,
    // Without times, the number adds nothing new.
    ...(windows.length > 0 ? { call_number: readLineField(fields, CALL_NUMBER_CONTROL) } : {}),
    files,
  };
}

/** The form for call times has no text field. */
export function isCallForm(fields: FormFields): boolean {
  return !fields.has(TEXT_CONTROL);
}

export function toMessageFormFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map(({ pointer, said }) => {
    const [, name, index, part] = pointer.split('/');
    if (name === FILES_CONTROL) return { field: FILES_CONTROL, message: said };
    if (name === 'call_windows')
      return { field: toCallFieldName(Number(index), part, fields), message: said };
    if (name === CALL_NUMBER_CONTROL) return { field: CALL_NUMBER_CONTROL, message: said };
    return isCallForm(fields)
      ? { field: FIRST_CALL_CONTROL, message: { key: 'fault.call_windows.missing' } }
      : { field: TEXT_CONTROL, message: said };
  });
}
