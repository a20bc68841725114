/** The inquiry as a form: from named fields to an inquiry, and from a fault back to its field. */
import { readCallWindows, toCallFieldName } from './call-form.ts';
import type { FieldError } from './fields.ts';
import {
  type FormFault,
  type FormFields,
  isTicked,
  readLineField,
  readMultilineField,
} from './form-fields.ts';
import { parseIdentifiers } from './inquiry.ts';

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
export function readInquiryFromForm(fields: FormFields, { paymentRef, files }: FormContext): unknown {
  return {
    payment_ref: paymentRef,
    alias: readLineField(fields, 'alias'),
    question: readMultilineField(fields, 'question'),
    subject: readLineField(fields, 'subject'),
    identifiers: parseIdentifiers(readMultilineField(fields, 'identifiers')),
    background: readMultilineField(fields, 'background'),
    jurisdiction: readLineField(fields, 'jurisdiction'),
    safety_risk: fields.get('safety_risk'),
    subject_is_protected: fields.get('subject_is_protected'),
    contact: {
      mode: fields.get('contact_mode'),
      value: readLineField(fields, 'contact_value'),
      safe_times: readLineField(fields, 'contact_safe_times'),
    },
    call_windows: readCallWindows(fields),
    lawful_purpose: isTicked(fields, 'lawful_purpose'),
    files: files.map((file) => ({ ...file, kept_as_evidence: isTicked(fields, 'keep_evidence') })),
  };
}

export function toInquiryFormFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map(({ pointer, detail }) => {
    const { field, before } = toFormPlace(pointer, fields);
    return { field, message: before + detail };
  });
}

/** As the page shows them, from the top down. */
const order =
  'question subject identifiers background alias jurisdiction safety_risk subject_is_protected contact_mode contact_value contact_safe_times call files words_kept keep_days lawful_purpose'.split(
    ' ',
  );

/** At most one fault for a field, in the order of the form. */
export function sortInquiryFaults(faults: readonly FormFault[]): FormFault[] {
  const first = new Map(faults.toReversed().map((fault) => [fault.field, fault]));
  return [...first.values()].toSorted((a, b) => findFormPosition(a) - findFormPosition(b));
}

function findFormPosition({ field }: FormFault): number {
  return order.indexOf(field.startsWith('call_') ? 'call' : field);
}

interface FormPlace {
  readonly field: string;
  /** Which line or file is meant, where a field holds several. */
  readonly before: string;
}

function toFormPlace(pointer: string, fields: FormFields): FormPlace {
  const [, name = '', second, third] = pointer.split('/');
  const index = Number(second);
  if (name === 'contact') return { field: `contact_${second}`, before: '' };
  if (name === 'call_windows') return { field: toCallFieldName(index, third, fields), before: '' };
  if (name === 'identifiers' && second) return { field: name, before: `Entry ${index + 1}: ` };
  if (name === 'files' && second) return { field: name, before: `File ${index + 1}: ` };
  return { field: name, before: '' };
}

export const wordsNotKeptFault: FormFault = {
  field: 'words_kept',
  message: 'Write the twelve words down, then tick this',
};
