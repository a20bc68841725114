/** A language of the pages: its tag, its direction and its sentences. */
import type { Catalogue, FindSentence, Say, SentenceKey } from './catalogue.ts';
import { compileMessage } from './compile-message.ts';
import { type CompiledMessage, formatMessageText } from './compiled-sentence.ts';

export interface Language {
  /** BCP 47, for the `lang` of the page. */
  readonly tag: string;
  /** For numbers, plurals and dates: in Mexico, 12.000 is twelve. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly say: Say;
  readonly find: FindSentence;
  /** For markup, and for scripts, which get the sentences they need with the page. */
  readonly getMessage: (key: SentenceKey) => CompiledMessage;
}

export function createLanguage(tag: string, catalogue: Catalogue): Language {
  const direction = new Intl.Locale(tag).getTextInfo().direction ?? 'ltr';
  const locale = catalogue['time.locale'];
  const compiled = new Map<SentenceKey, CompiledMessage>();
  const getMessage = (key: SentenceKey) => {
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const message = compileMessage(catalogue[key]);
    compiled.set(key, message);
    return message;
  };
  const say: Say = (key, ...[values = {}]) =>
    formatMessageText(getMessage(key), values, { locale, direction });
  const find: FindSentence = (key, values = {}) =>
    Object.hasOwn(catalogue, key)
      ? formatMessageText(getMessage(key as SentenceKey), values, { locale, direction })
      : undefined;
  return { tag, locale, direction, say, find, getMessage };
}
