/** Names that pages share with their scripts: parts of any page, and what a problem looks like. */

/** The quick way out; the summary of problems and its heading; who seals or opens. */
export const PART_IDS = {
  leave: 'leave',
  problems: 'problems',
  problemsTitle: 'problems-title',
  sealingNote: 'sealing-note',
} as const;
export type PartId = (typeof PART_IDS)[keyof typeof PART_IDS];

/** What elements carry as `data-…` for a script. Templates write these names out: no hole may stand in one. */
export const DATA_KEYS = [
  /** What the script fills in. */
  'slot',
  /** What the script shows or hides. */
  'part',
  /** What a page shown from a template is called. */
  'title',
  /** Where it is sealed when a paragraph of the sealing note holds. */
  'when',
  /** On buttons that print. */
  'print',
  /** The investigators' recipients, with a blank between them. */
  'desk',
  /** The recipient that opens every case when all else is lost. */
  'recovery',
  /** Which payment an inquiry is for, and whether it has bought a call. */
  'payment-ref',
  'includes-call',
  /** On a form that is final: what to type, and what is said where it was not confirmed. */
  'word',
  'unsure',
  /** On the cells of a table: the heading of their column, for narrow screens. */
  'label',
] as const;
export type DataKey = (typeof DATA_KEYS)[number];

export const SEALED_WHERE = { browser: 'browser', server: 'server' } as const;
export type SealedWhere = keyof typeof SEALED_WHERE;

/** The twelve words, in whichever form they are typed. */
export const WORDS_FIELD = 'words';

/** A field with its label, one in which something is to be changed, and the sentence that says what. */
export const FIELD_CLASS = 'field';
export const WRONG_CLASS = 'wrong';
export const ERROR_CLASS = 'error';

/** The template of the page that says a form was sent. */
export const SENT_TEMPLATE = 'sent';

export const PROBLEMS_HEADING = 'There is a problem';
/** Before the title of a page, and the sentence at a field, where something is wrong. */
export const ERROR_MARK = 'Error: ';

export function toErrorId(field: string): string {
  return `${field}-error`;
}
