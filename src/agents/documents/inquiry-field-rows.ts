/** Builds the rows of sealing.md that list the fields of an inquiry, from the table that also validates inquiries. */
import { MAX_CALL_NUMBER, MAX_CALL_WINDOWS } from '#seal/case/call-window.ts';
import { findDefaultChoice, type InquiryFieldFacts } from '#seal/form/inquiry-field-kinds.ts';
import { inquiryFields } from '#seal/form/inquiry-fields.ts';
import { MAX_INQUIRY_FILE_MIB, MAX_INQUIRY_FILES, MAX_INQUIRY_TOTAL_MIB } from '#seal/form/inquiry-files.ts';

type Row = readonly [name: string, needed: 'required' | 'optional', text: string];

export function formatInquiryFieldRows(): string {
  return Object.entries(inquiryFields)
    .flatMap(([name, field]) => listRows(name, field))
    .map(([name, needed, text]) => `| \`${name}\` | ${needed} | ${text} |`)
    .join('\n');
}

function listRows(name: string, field: InquiryFieldFacts): readonly Row[] {
  if (field.kind !== 'contact') return [toInquiryRow(name, field)];
  const parts = Object.entries(field.parts).flatMap(([part, facts]) => listRows(`${name}.${part}`, facts));
  return [[name, 'optional', 'an object with how the sender may be reached'], ...parts];
}

function toInquiryRow(name: string, field: InquiryFieldFacts): Row {
  switch (field.kind) {
    case 'line':
    case 'area':
      return field.min === undefined
        ? [name, 'optional', formatTextRule(field)]
        : [name, 'required', formatTextRule(field)];
    case 'list':
      return [
        name,
        'optional',
        `a list of at most ${field.maxEntries} texts of 1 to ${field.max} characters${formatDescription(field)}`,
      ];
    case 'choice': {
      const options = field.options.map(({ value }) => `\`${value}\``).join(', ');
      const chosen = findDefaultChoice(field);
      if (chosen === undefined) return [name, 'required', `one of ${options}${formatDescription(field)}`];
      return [name, 'optional', `one of ${options}; \`${chosen}\` if absent`];
    }
    case 'country':
      return [
        name,
        'required',
        'the country whose law applies to the sender: ISO 3166-1, two capital letters',
      ];
    case 'tick':
      return [name, 'required', '`true`, and nothing else: the purpose is lawful'];
    case 'contact':
      return [name, 'optional', 'an object'];
    case 'call_number':
      return [name, 'optional', CALL_NUMBER];
    case 'call_windows':
      return [name, 'optional', CALL_WINDOWS];
    case 'files':
      return [name, 'optional', INQUIRY_FILES];
    case 'payment':
      return [
        name,
        'required',
        `the \`order_id\` or \`session_id\` that you send with it: 1 to ${field.max} printable ASCII characters without blanks`,
      ];
  }
}

const CALL_NUMBER = `text, at most ${MAX_CALL_NUMBER} characters: 5 to 15 digits, with \`+\` and separators if you like. Only for \`Dossier\`, and needed with \`call_windows\``;
const CALL_WINDOWS = `a list of at most ${MAX_CALL_WINDOWS} objects \`{"start", "end", "zone"}\`: local times such as \`2026-12-31T14:30\`, and a zone such as \`Europe/Paris\`. Only for \`Dossier\``;
const INQUIRY_FILES = `a list of at most ${MAX_INQUIRY_FILES} objects as below, each of at most ${MAX_INQUIRY_FILE_MIB} MiB, together ${MAX_INQUIRY_TOTAL_MIB} MiB`;

function formatTextRule({ min, max, ...field }: { min?: number; max: number; description?: string }): string {
  const limits = min === undefined ? `text, at most ${max} characters` : `text, ${min} to ${max} characters`;
  return limits + formatDescription(field);
}

/** Here the description comes after the limits; in the API it comes before them. */
function formatDescription({ description }: { readonly description?: string }): string {
  if (description === undefined) return '';
  return `. ${description.replace(/[:;.]? ?$/, '')}`;
}
