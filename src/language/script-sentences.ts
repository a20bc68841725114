/** The sentences that scripts show: each page with a script includes those that it needs, in its language. */
import type { TextKey } from './catalogue.ts';

/** A key, or a pattern for several: `*` stands for any characters. */
type KeyPattern = TextKey | `${string}*${string}`;

/** For every page that sends something; the locale is for its numbers. */
const sending = [
  'time.locale',
  'form.problems',
  'form.error',
  'problem.foreign_form',
  'problem.rate_limited',
  'problem.storage_full',
  'problem.overloaded',
  'problem.payload_too_large',
  'problem.un*',
  'problem.sealer_*',
  'problem.sealing_unavailable',
  'problem.client',
  'problem.server',
] as const satisfies readonly KeyPattern[];

/** For texts with a limit, and for keys that have changed since the page was loaded. */
const writing = [
  'form.count_*',
  'fault.not_text',
  'fault.not_list',
  'fault.not_record',
  'fault.broken',
  'fault.too_long',
  'fault.unknown',
  'problem.sealing_keys_*',
  'problem.too_large',
  'problem.recipient_refused',
] as const satisfies readonly KeyPattern[];

const words = [
  'words.unknown*',
  'words.near*',
  'problem.words_*',
  'problem.case_unknown',
] as const satisfies readonly KeyPattern[];

const files = [
  'files.c*',
  'files.looking',
  'files.remove*',
  'files.kept',
  'files.unclean',
  'files.empty',
  'files.too_*',
  'files.waiting',
  'inquiry.sending.percent',
  'fault.in_file',
  'fault.files.too_*',
  'fault.files.named',
  'fault.files_*',
  'problem.file_gone',
  'problem.file_empty',
  'problem.image_damaged',
  'problem.upload_incomplete',
] as const satisfies readonly KeyPattern[];

const inquiry = [
  ...sending,
  ...writing,
  ...files,
  'time.local',
  'contact.title',
  'check.*',
  'words.asked.word',
  'words.print.title',
  'words.copied',
  'words.not_copied',
  'words.hide',
  'words.show',
  'fault.*',
  'problem.truncated',
  'problem.payment_required',
  'problem.order_redeemed',
  'problem.order_refunded',
  'problem.payment_held',
  'problem.form_expired',
  'problem.case_exists',
  'problem.terms_changed',
] as const satisfies readonly KeyPattern[];

const opening = [
  ...sending,
  ...writing,
  ...words,
  ...files,
  'time.local',
  'case.you',
  'case.investigator',
  'case.file.*',
  'case.write.sent',
  'case.call.when',
  'case.call.suggest*',
  'case.call.window.to',
  'case.call.number*',
  'case.call.another',
  'case.call.sent',
  'case.call.calendar.title',
  'case.keep.saved',
  'case.withdraw.done',
  'notice.saved',
  'notice.stopped',
  'notice.calendar.title',
  'case.deleted_on',
  'case.deletion.now',
  'words.print.title',
  'copy.name',
  'copy.saved',
  'copy.all.loading',
  'copy.all.partly',
  'copy.all.failed',
  'copy.sent',
  'copy.messages',
  'copy.answer',
  'copy.*.files',
  'copy.damaged*',
  'look.at',
  'look.nothing',
  'look.message',
  'look.answer',
  'look.changed',
  'lock.warning',
  'lock.idle',
  'lock.lost',
  'lock.unsent',
  'lock.closed',
  'practice.right',
  'practice.wrong',
  'fault.text.missing',
  'fault.call_*',
  'field.*.reader',
  'field.subject_is_protected.no',
  'field.subject_is_protected.yes',
  'field.files.kept',
  'call.window*',
  'call.number',
  'call.booked',
  'meant.*',
  'differs.*',
  'thread.*',
  'problem.wrong_key',
  'problem.tampered',
  'problem.truncated',
  'problem.forged',
  'problem.swapped',
  'problem.case_purged',
  'problem.case_state',
  'problem.case_changed',
  'problem.case_key_unreadable',
  'problem.connection_lost',
] as const satisfies readonly KeyPattern[];

const contact = [
  ...sending,
  ...writing,
  'fault.topic.missing',
  'fault.message.missing',
  'problem.contact_full',
] as const satisfies readonly KeyPattern[];

const patterns = {
  inquiry,
  case: opening,
  contact,
  'sign-in': [...sending, ...words],
  reference: [],
  leave: [],
  hold: [],
} as const;

type ScriptPattern = (typeof patterns)[keyof typeof patterns][number];

type KeysOf<Pattern extends string> = Pattern extends `${infer Begin}*${infer End}`
  ? Extract<TextKey, `${Begin}${string}${End}`>
  : Extract<TextKey, Pattern>;

export type ScriptKey = KeysOf<ScriptPattern>;

export function listScriptSentences<Key extends string>(
  script: keyof typeof patterns,
  keys: readonly Key[],
): Key[] {
  const parts = patterns[script].map((pattern) => pattern.split('*'));
  return keys.filter((key) =>
    parts.some(([begin = '', end]) =>
      end === undefined ? key === begin : key.startsWith(begin) && key.endsWith(end),
    ),
  );
}
