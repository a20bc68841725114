/** The text of a message: from an option, from a file, or typed at the terminal. */
import { EXIT } from '#platform/errors.ts';
import { fromUtf8 } from '#seal/bytes.ts';
import { misuse } from './command.ts';
import { refusePrivateKey } from './desk-key.ts';
import { Failure } from './failure.ts';
import { readInput } from './input-file.ts';

/** Far above what a message or a finding may have; the rules say how much that is. */
const MAX_BYTES = 1024 * 1024;

export const textOptions = { text: { type: 'string' }, file: { type: 'string' } } as const;
export const textHelp = [
  ['--text TEXT', 'what to write, or'],
  ['--file FILE', 'a file with it; without either it is read from standard input'],
] as const;

export async function typedText({ text, file }: { text?: string; file?: string }): Promise<string> {
  if (text !== undefined && file !== undefined) throw misuse('Give either --text or --file');
  if (text !== undefined) return text;
  if (file !== undefined) return await readText(file);
  if (process.stdin.isTTY)
    process.stderr.write('Write the text, and end it with Ctrl+D on a line of its own.\n');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Failure('Standard input: too long', EXIT.noInput);
    chunks.push(chunk);
  }
  return decoded(Buffer.concat(chunks), 'Standard input');
}

export async function readText(path: string): Promise<string> {
  const bytes = await readInput(path, MAX_BYTES);
  refusePrivateKey(path, bytes);
  return decoded(bytes, path);
}

/** Line ends as everywhere else in a case, without those that editors add at the end. */
function decoded(bytes: Uint8Array, name: string): string {
  try {
    return fromUtf8(bytes)
      .replace(/^\ufeff/, '')
      .replaceAll('\r\n', '\n')
      .replace(/\n+$/, '');
  } catch (error) {
    throw new Failure(`${name}: not a text in UTF-8`, EXIT.noInput, error);
  }
}
