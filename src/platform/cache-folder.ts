/** The folder of what can be made again at any time: code that Node has compiled, and scripts for browsers. */
import { access, constants } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const CACHE_FOLDER = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** False where the program belongs to another user, or lies on a disk that is read only. */
export async function isCacheWritable(): Promise<boolean> {
  return await access(CACHE_FOLDER, constants.W_OK).then(
    () => true,
    () => false,
  );
}
