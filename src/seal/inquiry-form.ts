/** The inquiry as a form: from its controls to an inquiry, and from a fault back to its control. */
import { isCallFieldName, readCallWindows, toCallFieldName } from './call-form.ts';
import type { FieldError } from './fields.ts';
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
import {
  type InquirySection,
  inquirySections,
  KEEP_EVIDENCE_CONTROL,
  WORDS_KEPT_CONTROL,
} from './inquiry-sections.ts';

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

/** Which control of the form holds a part of a field. */
function toPartControlName(name: string, part: string): string {
  return `${name}_${part}`;
}

export interface InquiryFormControl {
  /** By which the form sends it. */
  readonly name: string;
  readonly field: Exclude<InquiryFieldFacts, { kind: 'contact' | 'payment' }>;
}

export const inquirySectionNames = Object.keys(inquirySections) as readonly InquirySection[];

/** The controls of a section that hold the inquiry, from the top down. */
export function listSectionControls(section: InquirySection): readonly InquiryFormControl[] {
  return inquiryFieldEntries.flatMap(([name, field]): readonly InquiryFormControl[] => {
    if (field.kind === 'payment' || field.section !== section) return [];
    if (field.kind !== 'contact') return [{ name, field }];
    const parts = Object.entries(field.parts);
    return parts.map(([part, facts]) => ({ name: toPartControlName(name, part), field: facts }));
  });
}

export function toInquiryFormFaults(errors: readonly FieldError[], fields: FormFields): FormFault[] {
  return errors.map(({ pointer, detail }) => {
    const { field, before } = toFormPlace(pointer, fields);
    return { field, message: before + detail };
  });
}

const CALL_WINDOWS: InquiryFieldName = 'call_windows';

/** As the page shows them, from the top down. */
const formOrder: readonly string[] = inquirySectionNames.flatMap((section) => [
  ...inquirySections[section].controls,
  ...listSectionControls(section).map(({ name }) => name),
]);

/** At most one fault for a control, in the order of the form. */
export function sortInquiryFaults(faults: readonly FormFault[]): FormFault[] {
  const first = new Map(faults.toReversed().map((fault) => [fault.field, fault]));
  return [...first.values()].toSorted((a, b) => findFormPosition(a) - findFormPosition(b));
}

function findFormPosition({ field }: FormFault): number {
  return formOrder.indexOf(isCallFieldName(field) ? CALL_WINDOWS : field);
}

interface FormPlace {
  readonly field: string;
  /** Which line or file is meant, where a field holds several. */
  readonly before: string;
}

function toFormPlace(pointer: string, fields: FormFields): FormPlace {
  const [, name = '', second, third] = pointer.split('/');
  const index = Number(second);
  const kind = inquiryFieldEntries.find(([known]) => known === name)?.[1].kind;
  if (kind === 'contact') return { field: toPartControlName(name, second ?? ''), before: '' };
  if (kind === 'call_windows') return { field: toCallFieldName(index, third, fields), before: '' };
  if (kind === 'list' && second) return { field: name, before: `Entry ${index + 1}: ` };
  if (kind === 'files' && second) return { field: name, before: `File ${index + 1}: ` };
  return { field: name, before: '' };
}

export const wordsNotKeptFault: FormFault = {
  field: WORDS_KEPT_CONTROL,
  message: 'Write the twelve words down, then tick this',
};
