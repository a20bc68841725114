/** The kinds of inquiry fields, and the properties that each kind has in the table of fields. */
import type { CallWindow } from '../case/call-window.ts';
import type { AttachedFileFacts } from '../files/attached-file.ts';
import type { InquirySection } from './inquiry-sections.ts';

/** A field on the form. Pages find its label and hint in the catalogue by its name. */
interface DescribedField<Kind extends string> {
  readonly kind: Kind;
  /** For the API; the limits are appended for a text or a list. */
  readonly description?: string;
}

/** In characters. Without a minimum the text defaults to empty. */
interface TextField<Kind extends string> extends DescribedField<Kind> {
  readonly min?: number;
  readonly max: number;
  /** For the API, which needs one of a required text. */
  readonly example?: string;
}

interface AreaField extends TextField<'area'> {
  readonly rows: number;
}

/** A list of texts, one per line; defaults to empty. */
interface ListField extends DescribedField<'list'> {
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

export interface ChoiceField extends DescribedField<'choice'> {
  readonly options: readonly ChoiceOption[];
}

export function findDefaultChoice({ options }: ChoiceField): string | undefined {
  return options.find(({ isDefault }) => isDefault)?.value;
}

/** Whether an inquiry must have the field. */
export function isFieldRequired(field: InquiryFieldFacts): boolean {
  if (field.kind === 'choice') return findDefaultChoice(field) === undefined;
  return ['country', 'tick', 'payment'].includes(field.kind) || ('min' in field && field.min !== undefined);
}

interface CountryField extends TextField<'country'> {
  readonly description: string;
  readonly example: string;
}

/** How to reach the sender; the form has a control for each part. */
export interface InquiryContactField {
  readonly kind: 'contact';
  readonly parts: Readonly<Record<'value' | 'safe_times', TextField<'line'>>> & {
    readonly mode: ChoiceField;
  };
}

/** The number or the times for the call, if the tier includes one. */
interface CallField<Kind extends string> extends DescribedField<Kind> {
  readonly description: string;
}

/** The payment that the inquiry is for; not a question on the form. */
interface PaymentField {
  readonly kind: 'payment';
  readonly max: number;
}

type InquiryFormField =
  | TextField<'line'>
  | AreaField
  | ListField
  | ChoiceField
  | CountryField
  /** A checkbox that must be ticked. */
  | DescribedField<'tick'>
  | InquiryContactField
  | CallField<'call_number'>
  | CallField<'call_windows'>
  | { readonly kind: 'files' };

/** A field of the table, or a part of one. */
export type InquiryFieldFacts = InquiryFormField | PaymentField;

/** Fields of a section appear in the order of the table. */
export type InquiryField = (InquiryFormField & { readonly section: InquirySection }) | PaymentField;

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
