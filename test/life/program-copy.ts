/** A copy of the program with caches of its own, which a test may edit and break. */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';

const COPIED = ['bin', 'browser', 'content', 'languages', 'src', 'package.json'];

/** Copies the program, with links to the packages of the project. */
export async function copyProgram(t: CleanupScope): Promise<string> {
  const project = join(await createTemporaryFolder(t), 'a copy');
  await mkdir(join(project, 'node_modules'), { recursive: true });
  for (const name of COPIED) await cp(name, join(project, name), { recursive: true });
  for (const name of await readdir('node_modules'))
    if (!['.bin', '.cache'].includes(name))
      await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  return project;
}
