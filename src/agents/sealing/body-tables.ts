/** The tables of sealing.md that say which fields the JSON of each kind has, from the rules that read them. */
import { MAX_FILE_NAME_LENGTH, MAX_FILE_TYPE_LENGTH } from '#seal/attached-file.ts';
import { MAX_CALL_NUMBER } from '#seal/call-number.ts';
import { MAX_CALL_WINDOWS } from '#seal/call-window.ts';
import { MAX_FINDING_CHARACTERS, MAX_FINDING_FILES } from '#seal/finding.ts';
import { findDefaultChoice, type InquiryFieldFacts } from '#seal/inquiry-field-kinds.ts';
import { inquiryFields } from '#seal/inquiry-fields.ts';
import { MAX_INQUIRY_FILE_MIB, MAX_INQUIRY_FILES, MAX_INQUIRY_TOTAL_MIB } from '#seal/inquiry-files.ts';
import { DESK_MESSAGE_ACTS, MAX_MESSAGE_CHARACTERS, MAX_MESSAGES } from '#seal/message.ts';

type Row = readonly [name: string, needed: 'required' | 'optional', text: string];

export function formatFieldTable(rows: readonly Row[]): string {
  const lines = rows.map(([name, needed, text]) => `| \`${name}\` | ${needed} | ${text} |`);
  return ['| field | | value |', '|---|---|---|', ...lines].join('\n');
}

export function formatInquiryTable(): string {
  return formatFieldTable(Object.entries(inquiryFields).flatMap(([name, field]) => listRows(name, field)));
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

/** In the API, limits follow the description; here it follows them. */
function formatDescription({ description }: { readonly description?: string }): string {
  if (description === undefined) return '';
  return `. ${description.replace(/[:;.]? ?$/, '')}`;
}

export const fileRows: readonly Row[] = [
  [
    'name',
    'required',
    `text, 1 to ${MAX_FILE_NAME_LENGTH} characters, without slashes and control characters`,
  ],
  [
    'mime',
    'optional',
    `text, at most ${MAX_FILE_TYPE_LENGTH} printable ASCII characters, such as \`image/jpeg\``,
  ],
  ['size', 'required', 'the number of bytes before sealing'],
  [
    'kept_as_evidence',
    'optional',
    '`true` if metadata of a picture was left in on purpose; `false` if absent',
  ],
];

export const messageRows: readonly Row[] = [
  [
    'text',
    'optional',
    `text, at most ${MAX_MESSAGE_CHARACTERS} characters; not blank, unless there are times, a call or files`,
  ],
  ['call_windows', 'optional', `as in an inquiry; send \`books_call: true\` with it`],
  ['call_number', 'optional', 'as in an inquiry'],
  [
    'call',
    'optional',
    'only from the desk: the time that it booked, `{"at": "2026-12-31T13:30Z", "zone": "Europe/Paris"}`, in UTC and the zone to show it in',
  ],
  [
    'act',
    'optional',
    `only from the desk: what the message does, one of ${DESK_MESSAGE_ACTS.map((act) => `\`${act}\``).join(', ')}; see “What the desk vouches for”`,
  ],
  [
    'keep_days',
    'optional',
    'only from the desk, with `retain`: how many days after the delivery the case is kept',
  ],
  [
    'findings',
    'optional',
    'only from the desk: `{"valid": 1, "taken_back": 0}`, whether the buyer can read a finding by then, and how many were taken back before',
  ],
  ['files', 'optional', 'only from buyers on the site: the API takes messages without files'],
  ['seen', 'optional', `see “Linking messages”: an integer from 0 to ${MAX_MESSAGES}`],
  ['thread', 'optional', 'see “Linking messages”: 43 characters'],
];

export const findingRows: readonly Row[] = [
  [
    'markdown',
    'optional',
    `text, at most ${MAX_FINDING_CHARACTERS} characters of Markdown; may be empty if there are files`,
  ],
  ['files', 'optional', `a list of at most ${MAX_FINDING_FILES} objects as above`],
];
