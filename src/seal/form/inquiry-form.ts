/** Converts form fields to an inquiry, and validation errors back to faults of form controls. */
import type { AttachedFileFacts } from '../files/attached-file.ts';
import { listCallTimeControls, readCallWindows, toCallFieldName } from './call-form.ts';
import type { FieldError } from './field-rules.ts';
import {
  type FormFault,
  type FormFields,
  isTicked,
  readLineField,
  readListField,
  readMultilineField,
} from './form-fields.ts';
import type { InquiryFieldFacts } from './inquiry-field-kinds.ts';
import { type InquiryFieldName, inquiryFieldEntries } from './inquiry-fields.ts';
import { type InquirySection, inquirySections, KEEP_EVIDENCE_CONTROL } from './inquiry-sections.ts';

export type AttachedFile = Omit<AttachedFileFacts, 'kept_as_evidence'>;

/** What an inquiry needs besides the form fields. */
interface FormContext {
  readonly paymentRef: string;
  readonly files: readonly AttachedFile[];
}

/** The result is unchecked: pass it to `validateInquiry`. */
export function readInquiryFromForm(fields: FormFields, context: FormContext): unknown {
  return Object.fromEntries(
    inquiryFieldEntries.map(([name, field]) => [name, readFieldValue(name, field, fields, context)]),
  );
}

function readFieldValue(
  name: string,
  field: InquiryFieldFacts,
  fields: FormFields,
  context: FormContext,
): unknown {
  switch (field.kind) {
    case 'line':
    case 'country':
    case 'call_number':
      return readLineField(fields, name);
    case 'area':
      return readMultilineField(fields, name);
    case 'list':
      return readListField(fields, name);
    case 'choice':
      return fields.get(name);
    case 'tick':
      return isTicked(fields, name);
    case 'contact': {
      const parts = Object.entries(field.parts).map(([part, facts]) => [
        part,
        readFieldValue(toPartControlName(name, part), facts, fields, context),
      ]);
      return Object.fromEntries(parts);
    }
    case 'call_windows':
      return readCallWindows(fields);
    case 'files':
      return context.files.map((file) => ({
        ...file,
        kept_as_evidence: isTicked(fields, KEEP_EVIDENCE_CONTROL),
      }));
    case 'payment':
      return context.paymentRef;
  }
}

function toPartControlName(name: string, part: string): string {
  return `${name}_${part}`;
}

export interface InquiryFormControl {
  /** The name under which the form submits it. */
  readonly name: string;
  readonly field: Exclude<InquiryFieldFacts, { kind: 'contact' | 'payment' }>;
}

export const inquirySectionNames = Object.keys(inquirySections) as readonly InquirySection[];

/** The controls for inquiry fields in a section, from top to bottom. */
export function listSectionControls(section: InquirySection): readonly InquiryFormControl[] {
  return inquiryFieldEntries.flatMap(([name, field]): readonly InquiryFormControl[] => {
    if (field.kind === 'payment' || field.section !== section) return [];
    if (field.kind !== 'contact') return [{ name, field }];
    const parts = Object.entries(field.parts);
    return parts.map(([part, facts]) => ({ name: toPartControlName(name, part), field: facts }));
  });
}

export function toInquiryFormFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map((error) => toFormFault(error, fields));
}

function toFormFault({ pointer, said }: FieldError, fields: FormFields): FormFault {
  const [, name = '', second, third] = pointer.split('/');
  const index = Number(second);
  const kind = inquiryFieldEntries.find(([fieldName]) => fieldName === name)?.[1].kind;
  if (kind === 'contact') return { field: toPartControlName(name, second ?? ''), message: said };
  if (kind === 'call_windows') return { field: toCallFieldName(index, third, fields), message: said };
  // A line or file of a field that holds several.
  if ((kind === 'list' || kind === 'files') && second) {
    const key = kind === 'list' ? 'fault.in_entry' : 'fault.in_file';
    return { field: name, message: { key, values: { number: index + 1, fault: said } } };
  }
  return { field: name, message: said };
}

const CALL_WINDOWS: InquiryFieldName = 'call_windows';

/** As on the page, from top to bottom. */
const formOrder: readonly string[] = inquirySectionNames.flatMap((section) => [
  ...inquirySections[section].controls,
  ...listSectionControls(section).flatMap(({ name }) =>
    name === CALL_WINDOWS ? listCallTimeControls() : [name],
  ),
]);

/** Keeps the first fault of each control and sorts by the order of the form. */
export function sortInquiryFaults(faults: readonly FormFault[]): FormFault[] {
  const first = new Map(faults.toReversed().map((fault) => [fault.field, fault]));
  return [...first.values()].toSorted((a, b) => formOrder.indexOf(a.field) - formOrder.indexOf(b.field));
}
