/** The folder of what can be made again at any time: code that Node has compiled, and scripts for browsers. */
import { access, constants } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';

export const CACHE_FOLDER = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** False where the program belongs to another user, or lies on a disk that is read only. */
export async function isCacheWritable(): Promise<boolean> {
  return await access(CACHE_FOLDER, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** A thread of the program finds the compiled code, and nothing of the configuration, least of all its secrets. */
export function getThreadOptions(): Pick<WorkerOptions, 'env' | 'argv'> {
  const cache = getCompileCacheDir();
  // Each version of Node has a folder below the one that the variable names.
  return { env: cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {}, argv: [] };
}
