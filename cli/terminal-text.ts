/** Makes foreign text safe to print: control characters drive a terminal, and direction marks mislead a reader. */

/** Control characters except tab and line feed, and characters that reorder or hide their neighbours. */
const UNSAFE = /(?![\t\n])[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

export const terminalSafe = {
  /** Keeps line breaks. */
  text: (text: string): string => text.replaceAll('\r\n', '\n').replace(UNSAFE, '\ufffd'),
  line: (text: string): string => terminalSafe.text(text).replace(/\s+/g, ' '),
  /** Escapes, so that the parsed value stays the same. */
  json: (text: string): string => text.replace(UNSAFE, toUnicodeEscape),
};

function toUnicodeEscape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
