/** A message as a form sends it. */
import { callField, callWindowsIn } from './call-form.ts';
import type { FieldError } from './fields.ts';
import { type FormFault, type FormFields, lines } from './form-fields.ts';

/** For `validateMessage`, which judges it. */
export function messageFromForm(fields: FormFields): unknown {
  return { text: lines(fields, 'message'), call_windows: callWindowsIn(fields) };
}

export function messageFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map(({ pointer, detail }) => {
    const [, name, index, part] = pointer.split('/');
    const field = name === 'call_windows' ? callField(Number(index), part, fields) : 'message';
    return { field, message: detail };
  });
}
