/** Names that the inquiry page shares with its script. */
import type { Inquiry } from '#seal/inquiry.ts';
import type { InquiryFieldName } from '#seal/inquiry-fields.ts';

export const INQUIRY_PATH = '/inquiry';
export const INQUIRY_SENT_PATH = '/inquiry/sent';
export const SEALED_INQUIRY_PATH = '/inquiry/sealed';
/** Below it, the id of an upload and the number of a piece. */
export const INQUIRY_UPLOADS_PATH = '/inquiry/uploads';

/** Shows that a script sends for a form of ours. */
export const FORM_TOKEN_HEADER = 'x-form-token';

export const INQUIRY_FORM_ID = 'inquiry';
/** The twelve words, how far sending has come, and the button that sends. */
export const INQUIRY_PART_IDS = { words: 'words-list', progress: 'progress', send: 'send' } as const;
export type InquiryPartId = (typeof INQUIRY_PART_IDS)[keyof typeof INQUIRY_PART_IDS];

/** Hidden in the form, besides the words. */
export const INQUIRY_HIDDEN_FIELDS = { token: 'token', termsVersion: 'terms_version' } as const;

/** What `data-includes-call` says of a tier with a call, and of one without. */
export const INCLUDES_CALL = { yes: 'yes', no: 'no' } as const;

/** What the script fills in on the page that says it was sent. */
export const INQUIRY_SENT_SLOTS = { due: 'due', words: 'words' } as const;
export type InquirySentSlot = keyof typeof INQUIRY_SENT_SLOTS;

/** Who answers this field so is told to call for help first. */
export const DANGER_FIELD = 'safety_risk' satisfies InquiryFieldName;
export const IMMEDIATE_DANGER = 'immediate' satisfies Inquiry[typeof DANGER_FIELD];
