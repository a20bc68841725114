/** An inquiry as lines to read, for the buyer on the case page and the investigator at the desk. */

import type { CallWindow } from '../case/call-window.ts';
import type { UnsaidSentence, UnsaidText } from '../core/unsaid-text.ts';
import type { AttachedFileFacts } from '../files/attached-file.ts';
import type { Inquiry } from './inquiry.ts';
import type { InquiryField, InquiryFieldValue } from './inquiry-field-kinds.ts';
import { inquiryFieldEntries } from './inquiry-fields.ts';

export interface InquiryLine {
  readonly label: UnsaidText;
  readonly text: UnsaidText;
}

/** Skips empty fields. */
export function toInquiryLines(inquiry: Inquiry): InquiryLine[] {
  const lines = inquiryFieldEntries.flatMap(([name, field]) => toFieldLines(field, inquiry, name));
  return lines.filter(({ text }) => !Array.isArray(text) || text.some((part) => part !== ''));
}

function toFieldLines(field: InquiryField, inquiry: Inquiry, name: keyof Inquiry): InquiryLine[] {
  if (field.kind === 'contact') return toContactLines(inquiry.contact);
  // Readers need neither.
  if (field.kind === 'payment' || field.kind === 'tick') return [];
  // The kind determines the type of the value, but the compiler cannot infer it here.
  const text = formatters[field.kind](inquiry[name] as never, name);
  return [{ label: toReaderText(`field.${name}`), text }];
}

type LineKind = Exclude<InquiryField['kind'], 'contact' | 'payment' | 'tick'>;
type Formatter<Kind> = (
  value: InquiryFieldValue<Extract<InquiryField, { kind: Kind }>>,
  name: string,
) => UnsaidText;

const formatters: { readonly [Kind in LineKind]: Formatter<Kind> } = {
  line: (text) => [text],
  area: (text) => [text],
  list: (entries) => [entries.join('\n')],
  choice: (value, name) => toReaderText(`field.${name}.${value}`),
  country: (country) => ({ country }),
  call_number: (text) => [text],
  call_windows: (windows) => joinLines(windows.map(toCallWindowText)),
  files: (files) => joinLines(files.map(toFileText)),
};

/** Puts the address on the same line as the contact mode. */
function toContactLines({ mode, value, safe_times: safeTimes }: Inquiry['contact']): InquiryLine[] {
  const reachedBy = toReaderText(`field.contact_mode.${mode}`);
  return [
    { label: toReaderText('field.contact_mode'), text: value ? [reachedBy, `: ${value}`] : reachedBy },
    { label: toReaderText('field.contact_safe_times'), text: [safeTimes] },
  ];
}

function toReaderText(key: string): UnsaidSentence {
  return { key, variant: 'reader' };
}

export function joinLines(lines: readonly UnsaidText[]): UnsaidText {
  return lines.flatMap((line, index) => (index === 0 ? [line] : ['\n', line]));
}

export function toCallWindowText({ start, end, zone }: CallWindow): UnsaidText {
  const values = { start: start.replace('T', ' '), end: end.replace('T', ' '), zone };
  return { key: 'call.window', values };
}

const KB = 1_024;
const MB = KB * KB;

/** Uses the units of the limits, so that a size can be compared with them. */
export function formatFileSize(bytes: number): string {
  if (bytes < KB) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < MB - KB / 2 ? `${Math.round(bytes / KB)} KB` : `${(bytes / MB).toFixed(1)} MB`;
}

export function formatFileLabel({ name, size }: { readonly name: string; readonly size: number }): string {
  return `${name}, ${formatFileSize(size)}`;
}

function toFileText(file: AttachedFileFacts): UnsaidText {
  const label = formatFileLabel(file);
  return file.kept_as_evidence ? { key: 'field.files.kept', values: { file: label } } : label;
}
