/** Text that others wrote, made safe to print: a terminal obeys control characters, and a reader trusts directions. */

/** Controls but for tab and line feed, and what reorders or hides the characters around it. */
const UNSAFE = /(?![\t\n])[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

export const terminalSafe = {
  /** Line breaks stay. */
  text: (text: string): string => text.replaceAll('\r\n', '\n').replace(UNSAFE, '\ufffd'),
  line: (text: string): string => terminalSafe.text(text).replace(/\s+/g, ' '),
  /** Means the same to whoever parses it. */
  json: (text: string): string => text.replace(UNSAFE, toUnicodeEscape),
};

function toUnicodeEscape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
