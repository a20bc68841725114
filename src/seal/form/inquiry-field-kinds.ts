/** The kinds of inquiry fields, and the properties that each kind has in the table of fields. */

import type { CallWindow } from '../case/call-window.ts';
import type { AttachedFileFacts } from '../files/attached-file.ts';
import type { InquirySection } from './inquiry-sections.ts';

/** A field on the form. Pages find its label and hint in the catalogue by its name. */
interface DescribedField {
  /** For the API; the limits are appended for a text or a list. */
  readonly description?: string;
}

interface RequiredText {
  /** In characters, like `max`. */
  readonly min: number;
  /** For the API. */
  readonly example: string;
}

/** Defaults to empty. */
interface OptionalText {
  readonly min?: never;
  readonly example?: string;
}

type LineField = DescribedField &
  (RequiredText | OptionalText) & { readonly kind: 'line'; readonly max: number };

type AreaField = DescribedField &
  (RequiredText | OptionalText) & { readonly kind: 'area'; readonly max: number; readonly rows: number };

/** A list of texts, one per line; defaults to empty. */
interface ListField extends DescribedField {
  readonly kind: 'list';
  readonly rows: number;
  readonly maxEntries: number;
  /** The length of an entry, in characters. */
  readonly max: number;
  readonly example?: readonly string[];
}

interface ChoiceOption {
  readonly value: string;
  /** Used when nothing is chosen. */
  readonly isDefault?: true;
}

export interface ChoiceField extends DescribedField {
  readonly kind: 'choice';
  readonly options: readonly ChoiceOption[];
}

export function findDefaultChoice({ options }: ChoiceField): string | undefined {
  return options.find(({ isDefault }) => isDefault)?.value;
}

interface CountryField extends DescribedField {
  readonly kind: 'country';
  readonly description: string;
  readonly max: number;
  readonly example: string;
}

/** A checkbox that must be ticked. */
interface TickField extends DescribedField {
  readonly kind: 'tick';
}

/** How to reach the sender; the form has a control for each part. */
export interface InquiryContactField {
  readonly kind: 'contact';
  readonly parts: { readonly mode: ChoiceField; readonly value: LineField; readonly safe_times: LineField };
}

/** Times for the call, if the tier includes one. */
interface CallWindowsField {
  readonly kind: 'call_windows';
  readonly description: string;
}

/** The number for the call, if the tier includes one. */
interface CallNumberField {
  readonly kind: 'call_number';
  readonly description: string;
}

interface FilesField {
  readonly kind: 'files';
}

/** The payment that the inquiry is for; not a question on the form. */
interface PaymentField {
  readonly kind: 'payment';
  /** Not on the form. */
  readonly section: null;
  readonly max: number;
}

/** Fields of a section appear in the order of the table. */
interface SectionField {
  readonly section: InquirySection;
}

type InquiryFormField =
  | LineField
  | AreaField
  | ListField
  | ChoiceField
  | CountryField
  | TickField
  | InquiryContactField
  | CallNumberField
  | CallWindowsField
  | FilesField;

/** A field of the table, or a part of one. */
export type InquiryFieldFacts = InquiryFormField | PaymentField;

export type InquiryField = (InquiryFormField & SectionField) | PaymentField;

/** The type of a validated field. */
export type InquiryFieldValue<Field> = Field extends { options: readonly { value: infer Value }[] }
  ? Value
  : Field extends { parts: infer Parts }
    ? { readonly [Name in keyof Parts]: InquiryFieldValue<Parts[Name]> }
    : Field extends { kind: keyof KindValues }
      ? KindValues[Field['kind']]
      : never;

interface KindValues {
  readonly line: string;
  readonly area: string;
  readonly list: readonly string[];
  readonly country: string;
  readonly tick: true;
  readonly call_number: string;
  readonly call_windows: readonly CallWindow[];
  readonly files: readonly AttachedFileFacts[];
  readonly payment: string;
}
