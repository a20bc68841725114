/** Makes strangers' text safe to read: characters that are invisible or reorder their neighbours are shown as codes. */
import { UNSEEN_CHARACTERS } from '#seal/core/unseen-characters.ts';

/** Keeps line breaks. */
export function showText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSEEN_CHARACTERS, (character) => `\u27e8U+${toCodeName(character)}\u27e9`);
}

/** For headings and lists: everything on one line. */
export function showLine(text: string): string {
  return showText(text).replace(/\s+/g, ' ').trim();
}

function toCodeName(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
