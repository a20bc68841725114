/** Reads a file of the operator's texts, and reports at the start what is wrong with it. */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

/** Ten times as long as the longest terms. */
const MAX_CONTENT_BYTES = 64 * 1024;

export async function readContentFile(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (readErrorCode(error) === 'ENOENT') rejectContent(path, 'the file is missing');
    throw new ProgramError(`${path}: the file cannot be read`, EXIT_CODES.config, error);
  });
  if (bytes.byteLength > MAX_CONTENT_BYTES)
    rejectContent(path, `the file is larger than ${MAX_CONTENT_BYTES / 1024} KiB`);
  if (!isUtf8(bytes)) rejectContent(path, 'the file is not UTF-8');
  // Unlike `toString`, drops a byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') rejectContent(path, 'the file is empty');
  return text;
}

export function rejectContent(path: string, fault: string): never {
  throw new ProgramError(`${path}: ${fault}`, EXIT_CODES.config);
}
