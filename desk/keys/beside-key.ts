/** Files beside a desk key: their paths and their text. */
import { readFile } from 'node:fs/promises';
import { readErrorCode } from '#platform/error-code.ts';
import { createReadError } from '#platform/exit-codes.ts';

/** Named after the pins: `desk.key.people` beside `desk.key.pins`. */
export function toSiblingPath(pinPath: string, ending: string): string {
  return `${pinPath.replace(/\.pins$/, '')}.${ending}`;
}

/** Null if there is no such file. */
export async function readTextBesideKey(
  path: string,
  encoding: 'latin1' | 'utf8' = 'latin1',
): Promise<string | null> {
  try {
    return await readFile(path, encoding);
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw createReadError(path, error);
  }
}
