/** Sentences and times as markup: the catalogue has the words, and the page makes the elements. */
import type { SentenceElements, SentenceKey, SentenceValues } from '#language/catalogue.ts';
import { formatMessageValue, type MessagePart, selectMessageParts } from '#language/compiled-sentence.ts';
import type { Language } from '#language/language.ts';
import type { ShownTime, TimedText } from '#language/timed-text.ts';
import { type HoleValue, Html, html } from './html.ts';

type SentenceParts<Key extends SentenceKey> = SentenceValues<Key, string | Html> &
  SentenceElements<Key, Html>;

/** Translators write no HTML: every value is escaped, and `parts` renders each element from its content. */
export function renderSentence<Key extends SentenceKey>(
  language: Language,
  key: Key,
  parts: SentenceParts<Key>,
): Html {
  const given = parts as Readonly<Record<string, unknown>>;
  const renderPart = (part: MessagePart): HoleValue => {
    if (typeof part === 'string') return part;
    if ('tag' in part) {
      const renderElement = given[part.tag] as (content: Html) => Html;
      return renderElement(html`${part.parts.map(renderPart)}`);
    }
    const value = given[part.value];
    return value instanceof Html ? value : formatMessageValue(value, language.locale, language.direction);
  };
  return html`${selectMessageParts(language.getMessage(key), given, language.locale).map(renderPart)}`;
}

/** For `{#strong}…{/strong}`. */
export function renderStrong(content: Html): Html {
  return html`<b>${content}</b>`;
}

/** Each time is a `<time>`, which a script shows in the reader's own zone. */
export function renderTimedText(text: TimedText): Html {
  return html`${text.map((part) => (typeof part === 'string' ? part : renderTime(part)))}`;
}

export function renderTime({ datetime, text }: ShownTime): Html {
  return html`<time datetime="${datetime}">${text}</time>`;
}
