/** Makes foreign text safe to print: control characters drive a terminal, invisible ones mislead a reader. */

/**
 * Control characters except tab and line feed, and whatever is not seen or reorders its neighbours: direction marks,
 * joiners, tag characters (U+E0000…). The two selectors that choose how a sign is drawn stay, since emoji have them.
 */
const UNSAFE = /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028-\u202e\ufff9-\ufffb]/gu;

export const terminalSafe = {
  /** Keeps line breaks. */
  text: (text: string): string => text.replaceAll('\r\n', '\n').replace(UNSAFE, '\ufffd'),
  line: (text: string): string => terminalSafe.text(text).replace(/\s+/g, ' '),
  /** Escapes, so that the parsed value stays the same. */
  json: (text: string): string =>
    text.replace(UNSAFE, (character) => character.replace(/./gs, escapeCodeUnit)),
};

/** JSON escapes UTF-16 code units: a character above U+FFFF becomes two escapes (RFC 8259 §7). */
function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
