/** Saves files of a case: nothing of one is used before all of it has been found genuine, and none is written over. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';

/** Read whole, because only its end shows whether it is genuine. */
export async function readWholeFile({ content }: Pick<OpenedSealedFile, 'content'>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return chunks;
}

const MAX_TRIES = 100;

/** Returns the path; a number is added where the name is taken. */
export async function saveInFolder(
  folder: string,
  name: string,
  chunks: readonly Uint8Array[],
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : addNumber(name, number));
    try {
      await writeFile(path, chunks, { flag: 'wx', mode: 0o600 });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= MAX_TRIES) throw error;
    }
  }
}

function addNumber(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}-${number}${name.slice(dot)}` : `${name}-${number}`;
}
