/** The kinds of field that an inquiry has, and what a field of each kind must say of itself in the table of fields. */
import type { AttachedFileFacts } from './attached-file.ts';
import type { CallWindow } from './call-window.ts';
import type { InquirySection } from './inquiry-sections.ts';

/** What the form asks, in words. */
interface AskedField {
  readonly label: string;
  readonly hint?: string;
  /** Where the inquiry is read; null for what no reader needs. */
  readonly readerLabel: string | null;
  /** For the API; that of a text or a list ends where its limits are added. */
  readonly description?: string;
}

interface RequiredText {
  /** In characters, as `max`. */
  readonly min: number;
  /** What to do when it is missing or too short. */
  readonly missing: string;
  /** For the API. */
  readonly example: string;
}

/** Left out, it is empty. */
interface OptionalText {
  readonly min?: never;
  readonly missing?: never;
  readonly example?: string;
}

/** What is typed can be copied from the page that says why it was not sent; under the form's label unless said. */
interface TypedField extends AskedField {
  readonly unsentLabel?: string;
}

type LineField = TypedField & (RequiredText | OptionalText) & { readonly kind: 'line'; readonly max: number };

type AreaField = TypedField &
  (RequiredText | OptionalText) & { readonly kind: 'area'; readonly max: number; readonly rows: number };

/** A list of texts, one on each line; left out, it is empty. */
interface ListField extends TypedField {
  readonly kind: 'list';
  readonly rows: number;
  readonly maxEntries: number;
  readonly tooMany: string;
  /** Of an entry, in characters. */
  readonly max: number;
  readonly missing: string;
  readonly example?: readonly string[];
}

interface ChoiceOption {
  readonly value: string;
  readonly text: string;
  readonly hint?: string;
  /** Where the inquiry is read; the form's text unless said. */
  readonly readerText?: string;
  /** Holds where nothing is chosen. */
  readonly isDefault?: true;
}

export interface ChoiceField extends AskedField {
  readonly kind: 'choice';
  readonly missing: string;
  readonly options: readonly ChoiceOption[];
}

export function findDefaultChoice({ options }: ChoiceField): string | undefined {
  return options.find(({ isDefault }) => isDefault)?.value;
}

interface CountryField extends AskedField {
  readonly kind: 'country';
  readonly description: string;
  readonly max: number;
  readonly missing: string;
  readonly refused: string;
  readonly example: string;
}

/** A box that must be ticked. */
interface TickField extends AskedField {
  readonly kind: 'tick';
  readonly missing: string;
}

/** How the sender may be reached; the form has a control for each part. */
export interface InquiryContactField {
  readonly kind: 'contact';
  readonly parts: { readonly mode: ChoiceField; readonly value: LineField; readonly safe_times: LineField };
}

/** Times for the call, where the tier includes one. */
interface CallWindowsField extends Omit<AskedField, 'label'> {
  readonly kind: 'call_windows';
  readonly hint: string;
  readonly description: string;
}

interface FilesField extends AskedField {
  readonly kind: 'files';
}

/** Which payment the inquiry is for; the form knows it without asking. */
interface PaymentField {
  readonly kind: 'payment';
  /** Nowhere on the form. */
  readonly section: null;
  readonly max: number;
  readonly missing: string;
  readonly refused: string;
}

/** Below the fields of its section that stand before it in the table. */
interface PlacedOnForm {
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
  | CallWindowsField
  | FilesField;

/** A field of the table, or a part of one. */
export type InquiryFieldFacts = InquiryFormField | PaymentField;

export type InquiryField = (InquiryFormField & PlacedOnForm) | PaymentField;

/** What a field holds once it is checked. */
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
  readonly call_windows: readonly CallWindow[];
  readonly files: readonly AttachedFileFacts[];
  readonly payment: string;
}
