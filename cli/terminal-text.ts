/** Makes foreign text safe to print: control characters drive a terminal, invisible ones mislead a reader. */
import { UNSEEN_CHARACTERS } from '#platform/unseen-characters.ts';

export const terminalSafe = {
  /** Keeps line breaks. */
  text: (text: string): string => text.replaceAll('\r\n', '\n').replace(UNSEEN_CHARACTERS, '\ufffd'),
  line: (text: string): string => terminalSafe.text(text).replace(/\s+/g, ' '),
  /** Escapes, so that the parsed value stays the same. */
  json: (text: string): string =>
    text.replace(UNSEEN_CHARACTERS, (character) => character.replace(/./gs, escapeCodeUnit)),
};

/** JSON escapes UTF-16 code units: a character above U+FFFF becomes two escapes (RFC 8259 §7). */
function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
