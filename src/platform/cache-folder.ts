/** The folder for files that can be regenerated at any time: code compiled by Node, and scripts for browsers. */
import { access, constants } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';

export const CACHE_FOLDER = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** False if the program belongs to another user, or is on a read-only disk. */
export async function isCacheWritable(): Promise<boolean> {
  return await access(CACHE_FOLDER, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** A worker thread finds the compiled code, but sees nothing of the configuration and its secrets. */
export function getThreadOptions(): Pick<WorkerOptions, 'env' | 'argv'> {
  const cache = getCompileCacheDir();
  // Each version of Node has a folder below the one that the variable names.
  return { env: cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {}, argv: [] };
}
