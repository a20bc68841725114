/** Makes a file name from a stranger safe for any folder on any system. */
import { terminalSafe } from './terminal-text.ts';

const MAX_BYTES = 160;
/** Device names on Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Never empty, never a path, never hidden. */
export function toSafeFileName(name: string): string {
  const plain = terminalSafe
    .line(name.normalize('NFC'))
    .replace(/[/\\:*?"<>|\ufffd]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  const [stem, extension] = splitExtension(plain.replace(RESERVED, '_$1') || 'file');
  return `${truncateToBytes(stem, MAX_BYTES - Buffer.byteLength(extension))}${extension}`;
}

/** Keeps a short extension, because it says how to open the file. */
function splitExtension(name: string): [stem: string, extension: string] {
  const extension = /.(\.[A-Za-z0-9]{1,10})$/.exec(name)?.[1] ?? '';
  return [name.slice(0, name.length - extension.length), extension];
}

function truncateToBytes(text: string, maxBytes: number): string {
  let truncated = '';
  for (const character of text) {
    if (Buffer.byteLength(truncated) + Buffer.byteLength(character) > maxBytes) break;
    truncated += character;
  }
  return truncated;
}
