/** The inquiry as a form: from named fields to an inquiry, and from a fault back to its field. */
import { callField, callWindowsIn } from './call-form.ts';
import type { FieldError } from './fields.ts';
import { type FormFault, type FormFields, isTicked, line, lines } from './form-fields.ts';
import { identifiersOf } from './inquiry.ts';

export interface AttachedFile {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

/** Everything the form knows besides its fields. */
interface FormContext {
  readonly paymentRef: string;
  readonly files: readonly AttachedFile[];
}

/** For `validateInquiry`, which judges it. */
export function inquiryFromForm(fields: FormFields, { paymentRef, files }: FormContext): unknown {
  return {
    payment_ref: paymentRef,
    alias: line(fields, 'alias'),
    question: lines(fields, 'question'),
    subject: line(fields, 'subject'),
    identifiers: identifiersOf(lines(fields, 'identifiers')),
    background: lines(fields, 'background'),
    jurisdiction: line(fields, 'jurisdiction'),
    safety_risk: fields.get('safety_risk'),
    subject_is_protected: fields.get('subject_is_protected'),
    contact: {
      mode: fields.get('contact_mode'),
      value: line(fields, 'contact_value'),
      safe_times: line(fields, 'contact_safe_times'),
    },
    call_windows: callWindowsIn(fields),
    lawful_purpose: isTicked(fields, 'lawful_purpose'),
    files: files.map((file) => ({ ...file, kept_as_evidence: isTicked(fields, 'keep_evidence') })),
  };
}

export function formFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map(({ pointer, detail }) => {
    const { field, before } = placeOf(pointer, fields);
    return { field, message: before + detail };
  });
}

/** As the page shows them, from the top down. */
const order =
  'question subject identifiers background alias jurisdiction safety_risk subject_is_protected contact_mode contact_value contact_safe_times call files words_kept keep_days lawful_purpose'.split(
    ' ',
  );

/** At most one fault for a field, in the order of the form. */
export function inFormOrder(faults: readonly FormFault[]): FormFault[] {
  const first = new Map(faults.toReversed().map((fault) => [fault.field, fault]));
  return [...first.values()].toSorted((a, b) => placeInForm(a) - placeInForm(b));
}

function placeInForm({ field }: FormFault): number {
  return order.indexOf(field.startsWith('call_') ? 'call' : field);
}

interface FormPlace {
  readonly field: string;
  /** Which line or file is meant, where a field holds several. */
  readonly before: string;
}

function placeOf(pointer: string, fields: FormFields): FormPlace {
  const [, name = '', second, third] = pointer.split('/');
  const index = Number(second);
  if (name === 'contact') return { field: `contact_${second}`, before: '' };
  if (name === 'call_windows') return { field: callField(index, third, fields), before: '' };
  if (name === 'identifiers' && second) return { field: name, before: `Entry ${index + 1}: ` };
  if (name === 'files' && second) return { field: name, before: `File ${index + 1}: ` };
  return { field: name, before: '' };
}

export const wordsNotKept: FormFault = {
  field: 'words_kept',
  message: 'Write the twelve words down, then tick this',
};
