/** Reads what a person types: the text of a message, and a word that confirms what cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { readBounded } from '#platform/net/bounded-bytes.ts';
import { decodeUtf8 } from '#seal/core/bytes.ts';
import { createUsageFailure, type OptionValues } from '../command.ts';
import { readInputFile } from './files.ts';
import { getIo } from './io.ts';

/** Far above the limits of a message or a finding, which are checked later. */
const MAX_BYTES = 1024 * 1024;
const STDIN_NAME = 'Standard input';

export const messageTextOptions = [
  ['--text TEXT', 'the text, or'],
  ['--file FILE', 'a file with the text; without either, standard input is read'],
] as const;

export async function readMessageText({
  text,
  file,
}: OptionValues<typeof messageTextOptions>): Promise<string> {
  if (text !== undefined && file !== undefined)
    throw createUsageFailure('--text and --file cannot be combined');
  if (text !== undefined) return text;
  if (file !== undefined) return await readTextFile(file);
  if (getIo().stdin.isTTY)
    getIo().stderr.write('Type the text and end it with Ctrl+D on a line of its own.\n');
  const bytes = await readBounded(getIo().stdin, MAX_BYTES);
  if (bytes === null) throw new ProgramError(`${STDIN_NAME}: too long`, EXIT_CODES.noInput);
  return decodeText(bytes, STDIN_NAME);
}

export async function readTextFile(path: string): Promise<string> {
  return decodeText(await readInputFile(path, MAX_BYTES), path);
}

/** Normalizes line ends and drops those that editors add at the end. */
function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return decodeUtf8(bytes)
      .replace(/^\ufeff/, '')
      .replaceAll('\r\n', '\n')
      .replace(/\n+$/, '');
  } catch (error) {
    throw new ProgramError(`${name}: not UTF-8 text`, EXIT_CODES.noInput, error);
  }
}

/** Has the user type a word before something that cannot be undone; `undone` says what was not done without it. */
export async function requireConfirmation(question: string, word: string, undone: string): Promise<void> {
  const { stdin, stderr } = getIo();
  using reader = createInterface({ input: stdin, output: stderr, terminal: false });
  stderr.write(question);
  const { value: line, done } = await reader[Symbol.asyncIterator]().next();
  if (!done && line.trim() === word) return;
  if (done && !stdin.isTTY) stderr.write('There was no answer; --yes confirms without asking. ');
  throw new ProgramError(`Not confirmed, so ${undone}.`);
}
