/** Tools with their own packages, which only the long run needs: installed once for each version of their lock file. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const TOOLS_FOLDER = resolve('test/third-party');
const CACHE = resolve('node_modules/.cache/third-party');
const FILES = ['package.json', 'package-lock.json', '.npmrc'];
const INSTALL_MS = 600_000;

/** Installs the tools if necessary; returns their `node_modules`. */
export async function installTools(): Promise<string> {
  const lock = await readFile(join(TOOLS_FOLDER, 'package-lock.json'));
  const folder = join(CACHE, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  if (!existsSync(folder)) await installInto(folder);
  return join(folder, 'node_modules');
}

/** Safe for several processes at the same time: each sees a complete folder or none. */
async function installInto(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}.draft`;
  await mkdir(draft, { recursive: true });
  try {
    for (const name of FILES) await cp(join(TOOLS_FOLDER, name), join(draft, name));
    await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: draft, timeout: INSTALL_MS });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
