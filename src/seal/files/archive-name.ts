/** Names for the files in an archive: the name that a sender gave a file never becomes a path. */
import { encodeUtf8 } from '../core/bytes.ts';
import type { SealedPlace } from '../core/envelope.ts';

/** Most systems allow 255, and a number may be added. */
const MAX_BYTES = 200;
/** No system knows longer endings. */
const MAX_ENDING = 16;

/** Control and direction characters, and what a system interprets as a path, a drive, a stream or a pattern. */
const REFUSED = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;
/** Windows opens a device of this name, whatever the ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?=\.|$)/i;

/** A single name that cannot refer to anything outside its folder. */
export function toArchiveName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(REFUSED, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  const named = DEVICES.test(plain) ? `_${plain}` : plain;
  return trimName(named) || 'file';
}

/** Without an ending; people count from one. */
export function formatPartName({ kind, seq }: SealedPlace): string {
  return `${kind.replace(/\.v\d+$/, '')}-${seq + 1}`;
}

/** Keeps the ending, which determines how a system opens the file. */
function trimName(name: string): string {
  const { stem, ending } = splitEnding(name);
  const room = MAX_BYTES - encodeUtf8(ending).length;
  const characters = Array.from(stem.slice(0, room));
  while (encodeUtf8(characters.join('')).length > room) characters.pop();
  return characters.join('').trimEnd() + ending;
}

function splitEnding(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf('.');
  const isEnding = dot > 0 && name.length - dot <= MAX_ENDING;
  return isEnding ? { stem: name.slice(0, dot), ending: name.slice(dot) } : { stem: name, ending: '' };
}

/** Returns each path only once; ignores case, as some systems do. */
export function createPathChooser(): (folder: string, name: string) => string {
  const taken = new Set<string>();
  return (folder, name) => {
    const { stem, ending } = splitEnding(toArchiveName(name));
    const prefix = folder === '' ? '' : `${toArchiveName(folder)}/`;
    for (let number = 1; ; number += 1) {
      const path = `${prefix}${number === 1 ? stem : `${stem} (${number})`}${ending}`;
      const key = path.toLowerCase();
      if (taken.has(key)) continue;
      taken.add(key);
      return path;
    }
  };
}
