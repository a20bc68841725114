/** Names that the case page shares with its script. */

export const SEALED_CASE_PATHS = {
  open: '/case/sealed',
  message: '/case/sealed/message',
  keep: '/case/sealed/keep',
  withdraw: '/case/sealed/withdraw',
  purge: '/case/sealed/purge',
  file: '/case/sealed/file',
} as const;

/** The form that takes the words. */
export const FIND_FORM_ID = 'find';

/** What the buyer does to an open case, each by a form of its own. */
export const CASE_FORMS = { write: 'write', keep: 'keep', withdraw: 'withdraw', purge: 'purge' } as const;
export type CaseForm = keyof typeof CASE_FORMS;
/** What each form asks for, and where a problem with it leads. */
export const CASE_FORM_FIELDS = {
  write: 'message',
  keep: 'keep_days',
  withdraw: 'withdraw_sure',
  purge: 'erase',
} as const satisfies Record<CaseForm, string>;

/** The open case, what is repeated in it, and what is shown once nothing of it is left. */
export const CASE_TEMPLATES = {
  opened: 'opened',
  entry: 'entry',
  file: 'file',
  erased: 'erased',
  purged: 'purged',
} as const;
export type CaseTemplate = keyof typeof CASE_TEMPLATES;

/** What the script fills in, in all templates of the page. */
export const CASE_SLOTS = {
  news: 'news',
  title: 'title',
  clock: 'clock',
  sentences: 'sentences',
  finding: 'finding',
  findingFiles: 'finding-files',
  thread: 'thread',
  rows: 'rows',
  inquiry: 'inquiry',
  who: 'who',
  when: 'when',
  text: 'text',
  name: 'name',
  sentence: 'sentence',
} as const;
export type CaseSlot = (typeof CASE_SLOTS)[keyof typeof CASE_SLOTS];

/** What the script shows or hides besides forms. */
export const CASE_PARTS = { finding: 'finding', call: 'call' } as const;
export type CasePart = keyof typeof CASE_PARTS;

/** Whose message it is, to the buyer. */
export const AUTHOR_NAMES = { buyer: 'You', desk: 'Investigator' } as const;

/** What is said above the case after something was done to it. */
export const CASE_NEWS = {
  write: 'Your message was sent.',
  keep: (days: number) => `The file is erased ${days} days after our answer.`,
  withdraw: 'Your case is withdrawn.',
} as const;
