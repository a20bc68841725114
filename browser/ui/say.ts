/** The sentences of this page's script, which the page brings in its language. */
import type { Say } from '#language/catalogue.ts';
import { type CompiledMessage, formatMessageText } from '#language/message.ts';
import type { ScriptKey } from '#language/script-sentences.ts';
import { findById } from './find.ts';

const { lang: locale, dir: direction } = document.documentElement;
const messages = readScriptMessages();

export const say: Say<ScriptKey> = (key, ...[values = {}]) =>
  formatMessageText(messages[key] ?? '', values, { locale, direction });

/** Whether a code that came from elsewhere has a sentence of its own. */
export function hasSentence(key: string): boolean {
  return Object.hasOwn(messages, key);
}

function readScriptMessages(): Readonly<Partial<Record<ScriptKey, CompiledMessage>>> {
  const text = findById('sentences')?.content.textContent;
  return JSON.parse(text ?? '{}') as Partial<Record<ScriptKey, CompiledMessage>>;
}
