/** Searches everything in a folder, including the names of files, for what must not be there. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function assertNamesNothing(folder: string, values: readonly string[]): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? await readFile(path, 'latin1') : '';
    for (const value of values) {
      const bytes = Buffer.from(value, 'base64url');
      for (const form of [value, bytes.toString('base64'), bytes.toString('hex'), bytes.toString('latin1')])
        assert.ok(!`${path}\n${text}`.includes(form), `${entry.name} has ${value}`);
    }
  }
}
