/** The sections of the inquiry form, and the controls that are sent with the inquiry but are not part of it. */

export const KEEP_EVIDENCE_CONTROL = 'keep_evidence';
export const FILES_CONTROL = 'files';
/** Two of the twelve words, typed from the sender's own copy. */
export const ASKED_WORD_CONTROLS = ['asked_word_1', 'asked_word_2'] as const;
/** Only forms of earlier releases submit it; the case page now asks for it. */
export const KEEP_DAYS_CONTROL = 'keep_days';

/** From top to bottom, each with its extra controls, which are above the inquiry fields that name this section. */
export const inquirySections = {
  question: { controls: [] },
  safety: { controls: [] },
  answer: { controls: [] },
  files: { controls: [KEEP_EVIDENCE_CONTROL] },
  words: { controls: ASKED_WORD_CONTROLS },
  send: { controls: [] },
} as const;

export type InquirySection = keyof typeof inquirySections;
