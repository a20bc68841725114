/** What the case page shares with its script: names, and how many earlier messages are folded away. */
import type { CaseActor } from '#seal/case/message.ts';
import type { MessageLink } from '#seal/case/thread.ts';

export const CASE_PATH = '/case';

export const SEALED_CASE_PATHS = {
  open: '/case/sealed',
  news: '/case/sealed/news',
  message: '/case/sealed/message',
  keep: '/case/sealed/keep',
  withdraw: '/case/sealed/withdraw',
  notify: '/case/sealed/notify',
  silence: '/case/sealed/silence',
  purge: '/case/sealed/purge',
  file: '/case/sealed/file',
  /** Followed by the id of the upload and the number of the piece. */
  uploads: '/case/sealed/uploads',
} as const;

/** Identifies the case that an upload is for; the body has room only for the bytes. */
export const LOOKUP_TOKEN_HEADER = 'x-lookup-token';

/** The state of the browser history entry in which the case is closed. */
export const CLOSED_ENTRY = 'closed';
/** The state of the browser history entry in which a case is open before its words have been typed. */
export const FIRST_ENTRY = 'first';

/** The form in which the words are entered. */
export const FIND_FORM_ID = 'find';
/** The form in which the buyer tries the words once. */
export const PRACTICE_FORM_ID = 'practice';

/** The buttons of an open case that send no form. */
export const CASE_BUTTONS = {
  look: 'look',
  close: 'close-case',
  stay: 'stay',
  saveAnswer: 'save-answer',
  printAnswer: 'print-answer',
  saveSent: 'save-sent',
  printSent: 'print-sent',
  saveAll: 'save-all',
} as const;
export type CaseButton = (typeof CASE_BUTTONS)[keyof typeof CASE_BUTTONS];

/** The buyer's actions on an open case, each with a form of its name: the field to which its errors point. */
export const CASE_FORM_FIELDS = {
  write: 'message',
  call: 'call_number',
  keep: 'keep_days',
  notify: 'notice_address',
  silence: 'notice_stop',
  withdraw: 'withdraw_sure',
  purge: 'erase',
} as const;
export type CaseActionForm = keyof typeof CASE_FORM_FIELDS;

/** The open case, its repeated entries, and the pages shown after it is erased. */
export const CASE_TEMPLATES = {
  opened: 'opened',
  entry: 'entry',
  step: 'step',
  file: 'file',
  erased: 'erased',
  purged: 'purged',
} as const;
export type CaseTemplate = keyof typeof CASE_TEMPLATES;

/** The slots of all templates of the page. */
export const CASE_SLOTS = {
  news: 'news',
  title: 'title',
  clock: 'clock',
  sentences: 'sentences',
  money: 'money',
  withdrawal: 'withdrawal',
  differences: 'differences',
  deletion: 'deletion',
  steps: 'steps',
  finding: 'finding',
  findingFiles: 'finding-files',
  earlier: 'earlier',
  thread: 'thread',
  callRows: 'call-rows',
  callSummary: 'call-summary',
  rows: 'rows',
  fingerprint: 'fingerprint',
  inquiry: 'inquiry',
  inquiryFiles: 'inquiry-files',
  who: 'who',
  when: 'when',
  text: 'text',
  messageFiles: 'message-files',
  mark: 'mark',
  name: 'name',
  sentence: 'sentence',
  looked: 'looked',
  fresh: 'fresh',
  idle: 'idle',
  closed: 'closed',
  practised: 'practised',
} as const;
export type CaseSlot = (typeof CASE_SLOTS)[keyof typeof CASE_SLOTS];

/** The parts, besides forms, that the script shows or hides. */
export const CASE_PARTS = {
  finding: 'finding',
  messages: 'messages',
  earlier: 'earlier',
  steps: 'steps',
  inquiry: 'inquiry',
  call: 'call',
  /** The upload progress of a message's files. */
  sending: 'sending',
  notices: 'notices',
  idle: 'idle',
  times: 'times',
  reminder: 'reminder',
  calendar: 'calendar',
  practice: 'practice',
} as const;
export type CasePart = keyof typeof CASE_PARTS;

/** Warnings about a conversation are never folded away. */
const UNREMARKABLE: readonly (MessageLink | 'missing')[] = ['linked', 'crossed', 'unlinked'];

/** The number of messages before the investigator's last ones, which are folded away. */
export function countEarlierMessages(
  thread: readonly { readonly by: CaseActor; readonly link?: MessageLink | 'missing' }[],
): number {
  const last = thread.findLastIndex(({ by }) => by === 'desk');
  const earlier = thread.findLastIndex(({ by }, index) => index < last && by === 'buyer') + 1;
  const isSound = thread.slice(0, earlier).every(({ link }) => link && UNREMARKABLE.includes(link));
  return isSound ? earlier : 0;
}
