/** Names that all pages share with their scripts: page parts, data attributes and the markup of errors. */

/** `leave` is the quick exit, and `sentences` are those of the script. */
export const PART_IDS = {
  leave: 'leave',
  languages: 'languages',
  problems: 'problems',
  problemsTitle: 'problems-title',
  sealingNote: 'sealing-note',
  sentences: 'sentences',
} as const;
export type PartId = (typeof PART_IDS)[keyof typeof PART_IDS];

/** The `data-…` attributes that scripts read. Templates spell them out: an attribute name cannot be a placeholder. */
export const DATA_KEYS = [
  /** Content that the script fills in. */
  'slot',
  /** An element that the script shows or hides. */
  'part',
  /** The page title to set when a template is shown. */
  'title',
  /** The condition under which a paragraph is shown, such as where sealing happens. */
  'when',
  /** These three mark the buttons that print, copy and hide the words. */
  'print',
  'copy',
  'mask',
  /** The service's half of the key of a draft, if there is one. */
  'draft-half',
  /** The maximum length of a field in characters. */
  'limit',
  /** The step of the form to which a part belongs. */
  'step',
  /** The investigators' recipients, separated by spaces. */
  'desk',
  /** The recovery recipient, to which every case key is sealed. */
  'recovery',
  'sealing-set',
  /** The payment of an inquiry, and whether its tier includes a call. */
  'payment-ref',
  'includes-call',
  /** On an irreversible form: the word to type, and the error if it was not confirmed. */
  'word',
  'unsure',
  /** On table cells: the heading of the column, for narrow screens. */
  'label',
] as const;
export type DataKey = (typeof DATA_KEYS)[number];

export const SEALED_WHERE = { browser: 'browser', server: 'server' } as const;
export type SealedWhere = keyof typeof SEALED_WHERE;

/** On the root element until it is known whether the page's script and its worker run. */
export const STARTING_CLASS = 'starting';
/** On the root element once the page's script has run. */
export const SCRIPTED_CLASS = 'scripted';

/** The field for the twelve words, in every form. */
export const WORDS_FIELD = 'words';

/** A field with its label, an invalid field, and its error message. */
export const FIELD_CLASS = 'field';
export const WRONG_CLASS = 'wrong';
export const ERROR_CLASS = 'error';

/** If a part has this class and some content, nothing else is printed. */
export const PRINTED_CLASS = 'prints';

/** The template of the page shown after sending. */
export const SENT_TEMPLATE = 'sent';

/** The id of the note that counts the characters of a field. */
export function toCountId(field: string): string {
  return `${field}-count`;
}

export function toErrorId(field: string): string {
  return `${field}-error`;
}
