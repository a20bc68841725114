/** An inquiry as readable text, for the buyer on the case page and the investigator at the desk. */
import type { AttachedFileFacts } from './attached-file.ts';
import type { Inquiry } from './inquiry.ts';
import type { ChoiceField, InquiryField, InquiryFieldValue } from './inquiry-field-kinds.ts';
import { inquiryFieldEntries, inquiryFields } from './inquiry-fields.ts';
import { formatCallWindow } from './message-text.ts';

export interface InquiryLine {
  readonly label: string;
  readonly text: string;
}

/** Skips empty fields. */
export function toInquiryLines(inquiry: Inquiry): InquiryLine[] {
  const lines = inquiryFieldEntries.flatMap(([name, field]) => toFieldLines(field, inquiry, name));
  return lines.filter(({ text }) => text !== '');
}

function toFieldLines(field: InquiryField, inquiry: Inquiry, name: keyof Inquiry): InquiryLine[] {
  if (field.kind === 'contact') return toContactLines(inquiry.contact);
  if (field.kind === 'payment' || field.readerLabel === null) return [];
  // The kind determines the type of the value, but the compiler cannot infer it here.
  return [{ label: field.readerLabel, text: formatters[field.kind](inquiry[name] as never, field as never) }];
}

type LineKind = Exclude<InquiryField['kind'], 'contact' | 'payment'>;
type FieldOfKind<Kind> = Extract<InquiryField, { kind: Kind }>;
type Formatter<Field> = (value: InquiryFieldValue<Field>, field: Field) => string;

const formatters: { readonly [Kind in LineKind]: Formatter<FieldOfKind<Kind>> } = {
  line: (text) => text,
  area: (text) => text,
  list: (entries) => entries.join('\n'),
  choice: (value, field) => formatChoice(field, value),
  country: (code) => formatCountryName(code),
  tick: () => 'Yes',
  call_windows: (windows) => windows.map(formatCallWindow).join('\n'),
  files: (files) => files.map(formatInquiryFile).join('\n'),
};

/** Puts the address on the same line as the contact mode. */
function toContactLines({ mode, value, safe_times: safeTimes }: Inquiry['contact']): InquiryLine[] {
  const { parts } = inquiryFields.contact;
  const reachedBy = [formatChoice(parts.mode, mode), value].filter(Boolean).join(': ');
  return [
    { label: parts.mode.readerLabel, text: reachedBy },
    { label: parts.safe_times.readerLabel, text: safeTimes },
  ];
}

function formatChoice({ options }: ChoiceField, chosen: string): string {
  const option = options.find(({ value }) => value === chosen);
  return option?.readerText ?? option?.text ?? chosen;
}

let regionNames: Intl.DisplayNames | undefined;

/** Making the list of names takes a hundred times as long as reading one from it. */
export function formatCountryName(code: string): string {
  regionNames ??= new Intl.DisplayNames('en', { type: 'region' });
  return regionNames.of(code) ?? code;
}

/** Uses decimal units, as file managers do. */
export function formatFileSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function formatFileLabel({ name, size }: { readonly name: string; readonly size: number }): string {
  return `${name}, ${formatFileSize(size)}`;
}

function formatInquiryFile(file: AttachedFileFacts): string {
  return `${formatFileLabel(file)}${file.kept_as_evidence ? ', hidden data kept' : ''}`;
}
