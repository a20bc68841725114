/** Names of files that others chose, made safe for any folder of any system. */
import { terminalSafe } from './terminal-text.ts';

const MAX_BYTES = 160;
/** Devices on Windows, with any ending. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Never empty, never a path, never hidden. */
export function toSafeFileName(name: string): string {
  const plain = terminalSafe
    .line(name.normalize('NFC'))
    .replace(/[/\\:*?"<>|\ufffd]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  const [start, ending] = splitEnding(plain.replace(RESERVED, '_$1') || 'file');
  return `${truncateToBytes(start, MAX_BYTES - Buffer.byteLength(ending))}${ending}`;
}

/** What says how to open it is kept where it is short enough to say that. */
function splitEnding(name: string): [start: string, ending: string] {
  const ending = /.(\.[A-Za-z0-9]{1,10})$/.exec(name)?.[1] ?? '';
  return [name.slice(0, name.length - ending.length), ending];
}

function truncateToBytes(text: string, maxBytes: number): string {
  let short = '';
  for (const character of text) {
    if (Buffer.byteLength(short) + Buffer.byteLength(character) > maxBytes) break;
    short += character;
  }
  return short;
}
