/** English in letters that no sentence of ours has, longer, and written from right to left: for tests alone. */
import type { Language } from '#language/language.ts';
import { ENGLISH, SERVED_LANGUAGES } from '#language/languages.ts';
import { type CompiledMessage, formatMessageText, type MessagePart } from '#language/message.ts';

/** The tag of CLDR for such a language. */
export const PSEUDO_TAG = 'ar-XB';

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀćďéƒğĥíĵķĺɱñóƥɋřšťúṽŵẋýžÁɃĆĎÉƑĞĤÍĴĶĹṀÑÓƤɊŘŠŤÚṼŴẊÝŽ';

/** What the sentences of other languages have in addition; German, for example, is a third longer. */
const LONGER = 'ó';

const language = createPseudoLanguage();

/** Only in this process, and before the service starts. */
export function servePseudoLanguage(): void {
  (SERVED_LANGUAGES as unknown as Language[]).push(language);
}

function createPseudoLanguage(): Language {
  const format = { locale: PSEUDO_TAG, direction: 'rtl' } as const;
  const getMessage: Language['getMessage'] = (key) => {
    // A locale is no sentence.
    if (key === 'time.locale') return PSEUDO_TAG;
    return translate(ENGLISH.getMessage(key));
  };
  return {
    tag: PSEUDO_TAG,
    locale: PSEUDO_TAG,
    direction: 'rtl',
    say: (key, ...[values = {}]) => formatMessageText(getMessage(key), values, format),
    find: (key, values = {}) =>
      ENGLISH.find(key, values) === undefined
        ? undefined
        : formatMessageText(getMessage(key as never), values, format),
    getMessage,
  };
}

function translate(message: CompiledMessage): CompiledMessage {
  if (typeof message === 'string') return translateText(message);
  if (!('by' in message)) return message.map(translatePart);
  const variants = Object.entries(message.variants).map(([key, parts]) => [key, parts.map(translatePart)]);
  return { by: message.by, variants: Object.fromEntries(variants) as Record<string, MessagePart[]> };
}

function translatePart(part: MessagePart): MessagePart {
  if (typeof part === 'string') return translateText(part);
  return 'tag' in part ? { tag: part.tag, parts: part.parts.map(translatePart) } : part;
}

/** Every third letter twice. */
function translateText(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter, index: number) => {
    const accented = Array.from(ACCENTED)[PLAIN.indexOf(letter)] ?? letter;
    return index % 3 === 0 ? accented + LONGER : accented;
  });
}
