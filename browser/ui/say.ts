/** The sentences of this page's script, which the page contains in its own language. */
import { toUserFacingErrorData, type UserFacingErrorData } from '#browser/rpc/fault.ts';
import type { Say } from '#language/catalogue.ts';
import { type CompiledMessage, formatMessageText } from '#language/compiled-sentence.ts';
import type { ScriptKey } from '#language/script-sentences.ts';
import { sayText, type TextReader } from '#wire/said-text.ts';
import { findById } from './find.ts';

const { lang: tag, dir: direction } = document.documentElement;
const messages = readScriptMessages();
const locale = readLocale();

export const say: Say<ScriptKey> = (key, ...[values = {}]) =>
  formatMessageText(messages[key] ?? '', values, { locale, direction });

/** The browser's locale if it has the page's language, because it usually includes the reader's country. */
export const timeLocale = chooseTimeLocale(new Intl.DateTimeFormat().resolvedOptions().locale);

/** For texts whose keys come from elsewhere, such as the worker. */
export const reader: TextReader = {
  tag,
  find: (key, values = {}) =>
    isScriptKey(key) ? formatMessageText(messages[key] ?? '', values, { locale, direction }) : undefined,
};

function chooseTimeLocale(own: string): string {
  return own.startsWith(`${tag}-`) ? own : locale;
}

/** A locale is text without variables. */
function readLocale(): string {
  const { 'time.locale': named } = messages;
  return typeof named === 'string' ? named : tag;
}

function isScriptKey(key: string): key is ScriptKey {
  return Object.hasOwn(messages, key);
}

function readScriptMessages(): Readonly<Partial<Record<ScriptKey, CompiledMessage>>> {
  const text = findById('sentences')?.content.textContent;
  return JSON.parse(text ?? '{}') as Partial<Record<ScriptKey, CompiledMessage>>;
}

const STEP_PERCENT = 10;

/** Progress is announced in steps, so as not to flood screen readers. */
export function formatStepPercent(share: number): number {
  return Math.floor((share * 100) / STEP_PERCENT) * STEP_PERCENT;
}

/** How much of an inquiry or a message has been sent. */
export function sayProgress(share: number, isWaiting = false): string {
  return isWaiting
    ? say('files.waiting')
    : say('inquiry.sending.percent', { percent: formatStepPercent(share) });
}

/** The sentence for an error: never the text that a response has for programs. */
export function toFaultText(error: unknown): string {
  return formatFault(toUserFacingErrorData(error));
}

export function formatFault({ code, said, blame }: UserFacingErrorData): string {
  if (said !== undefined) return sayText(reader, said);
  return reader.find(`problem.${code}`) ?? say(blame ? `problem.${blame}` : 'problem.unexpected');
}
