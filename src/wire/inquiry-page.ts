/** Names that the inquiry page shares with its script. */
import type { Inquiry } from '#seal/form/inquiry.ts';
import type { InquiryFieldName } from '#seal/form/inquiry-fields.ts';

export const INQUIRY_PATH = '/inquiry';
export const INQUIRY_SENT_PATH = '/inquiry/sent';
export const SEALED_INQUIRY_PATH = '/inquiry/sealed';
/** Followed by the id of the upload and the number of the piece. */
export const INQUIRY_UPLOADS_PATH = '/inquiry/uploads';

/** Returns the service's half of the key of a draft, and deletes it. */
export const INQUIRY_DRAFT_PATH = '/inquiry/draft';

/** Proves that the request comes from a form of this site. */
export const FORM_TOKEN_HEADER = 'x-form-token';

export const INQUIRY_FORM_ID = 'inquiry';
export const INQUIRY_PART_IDS = {
  words: 'words-list',
  answers: 'answers',
  change: 'change',
  keepDraft: 'keep-draft',
  closeForm: 'close-form',
  progress: 'progress',
  send: 'send',
  toCase: 'to-case',
} as const;
export type InquiryPartId = (typeof INQUIRY_PART_IDS)[keyof typeof INQUIRY_PART_IDS];

/** With a script, the form has two steps; without one, the whole form is the first. */
export const FORM_STEPS = { write: 'write', check: 'check' } as const;
export type FormStep = keyof typeof FORM_STEPS;

/** Every list of the twelve words; while masked, its words are visible only in print. */
export const WORDS_CLASS = 'words';
export const MASKED_CLASS = 'masked';
/** The buttons that print, copy and hide the words. */
export const WORD_TOOLS_PART = 'word-tools';
/** The note that words from an earlier load of the form are of no use. */
export const NEW_WORDS_PART = 'new-words';
/** The box that closes the form when the page is left by the quick exit, which needs a script. */
export const CLOSE_FORM_PART = 'close-choice';
/** The box that offers to store a draft, and the notes on what happened to one. */
export const DRAFT_PARTS = {
  choice: 'draft-choice',
  restored: 'draft-restored',
  lost: 'draft-lost',
  failed: 'draft-failed',
} as const;
/** The note on files that a browser without a script cannot clean. */
export const UNCLEAN_KINDS_PART = 'unclean-kinds';
export type InquiryPart =
  | typeof UNCLEAN_KINDS_PART
  | typeof CLOSE_FORM_PART
  | typeof WORD_TOOLS_PART
  | typeof NEW_WORDS_PART
  | (typeof DRAFT_PARTS)[keyof typeof DRAFT_PARTS];

/** Hidden fields of the form, besides the words. */
export const INQUIRY_HIDDEN_FIELDS = { token: 'token', termsVersion: 'terms_version' } as const;

/** Values of `data-includes-call`. */
export const INCLUDES_CALL = { yes: 'yes', no: 'no' } as const;

/** The slots of the page shown after sending. */
export const INQUIRY_SENT_SLOTS = { due: 'due', words: 'words' } as const;
export type InquirySentSlot = keyof typeof INQUIRY_SENT_SLOTS;

/** With this answer, the sender is advised to call for help first. */
export const DANGER_FIELD = 'safety_risk' satisfies InquiryFieldName;
export const IMMEDIATE_DANGER = 'immediate' satisfies Inquiry[typeof DANGER_FIELD];
