/** Characters that mislead readers of untrusted text: they control a terminal, are invisible, or reorder others. */

/** Control characters except tab and line feed, direction marks, joiners, tags; not the two selectors in emoji. */
export const UNSEEN_CHARACTERS =
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028-\u202e\ufff9-\ufffb]/gu;

/** For people: keeps line breaks. */
export function replaceUnseen(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSEEN_CHARACTERS, '\ufffd');
}

/** For programs: in JSON, the parsed value stays the same. */
export function escapeUnseenInJson(json: string): string {
  return json.replace(UNSEEN_CHARACTERS, (character) => character.replace(/./gs, escapeCodeUnit));
}

/** JSON escapes UTF-16 code units: a character above U+FFFF becomes two escapes (RFC 8259 §7). */
function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
