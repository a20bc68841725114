/** An inquiry in words, for whoever may read it: the buyer on the case page, the investigator at the desk. */
import type { Inquiry } from './inquiry.ts';
import { formatCallWindow } from './message-text.ts';

export interface InquiryLine {
  readonly label: string;
  readonly text: string;
}

const danger = { none: 'Nobody', possible: 'Possibly somebody', immediate: 'Somebody, right now' } as const;
const protection = { no: 'No', yes: 'Yes', unsure: 'Not sure' } as const;
const modes = {
  return_only: 'Only through the case page',
  email: 'E-mail',
  phone: 'Phone',
  signal: 'Signal',
  other: 'Another way',
} as const;

/** What was left out is left out here too. */
export function toInquiryLines(inquiry: Inquiry): InquiryLine[] {
  const { contact } = inquiry;
  const all: readonly InquiryLine[] = [
    { label: 'Name or alias', text: inquiry.alias },
    { label: 'Question', text: inquiry.question },
    { label: 'About', text: inquiry.subject },
    { label: 'Already known', text: inquiry.identifiers.join('\n') },
    { label: 'Background', text: inquiry.background },
    { label: 'Country', text: formatCountryName(inquiry.jurisdiction) },
    { label: 'In danger', text: danger[inquiry.safety_risk] },
    { label: 'A minor, a partner, or protected by a court', text: protection[inquiry.subject_is_protected] },
    { label: 'How to answer', text: [modes[contact.mode], contact.value].filter(Boolean).join(': ') },
    { label: 'Safe times', text: contact.safe_times },
    { label: 'Times for the call', text: inquiry.call_windows.map(formatCallWindow).join('\n') },
    { label: 'Files', text: inquiry.files.map(formatInquiryFile).join('\n') },
  ];
  return all.filter(({ text }) => text !== '');
}

export function formatCountryName(code: string): string {
  return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
}

/** In the units that file managers show. */
export function formatFileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function formatFileLabel({ name, size }: { readonly name: string; readonly size: number }): string {
  return `${name}, ${formatFileSize(size)}`;
}

function formatInquiryFile(file: Inquiry['files'][number]): string {
  return `${formatFileLabel(file)}${file.kept_as_evidence ? ', hidden data kept' : ''}`;
}
