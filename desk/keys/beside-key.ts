/** Files beside a desk key: their paths and their content. */
import { readFile } from 'node:fs/promises';
import { readErrorCode } from '#platform/error-code.ts';
import { createReadError } from '#platform/exit-codes.ts';

/** Named after the pins: `desk.key.people` beside `desk.key.pins`. */
export function toSiblingPath(pinPath: string, ending: string): string {
  return `${pinPath.replace(/\.pins$/, '')}.${ending}`;
}

/** Null if there is no such file. */
export async function readBesideKey(path: string): Promise<Buffer | null> {
  return await readFile(path).catch((error: unknown) => {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw createReadError(path, error);
  });
}
