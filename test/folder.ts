/** A folder of a test's own, gone when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export async function ownFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inquiry-office-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
