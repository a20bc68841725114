/** A copy of the program with its own bundle, which a test may edit, break and move. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';

const COPIED = [
  'bin',
  'browser',
  'cli',
  'content',
  'desk',
  'scripts',
  'src',
  'package.json',
  'package-lock.json',
];
const BUNDLE = `(await import('./scripts/program-bundle.ts')).bundleProgram()`;

/** The packages are links to those of the project. */
export async function copyProgram(t: CleanupScope): Promise<string> {
  const project = join(await createTemporaryFolder(t), 'a copy');
  await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
  for (const name of COPIED) await cp(name, join(project, name), { recursive: true });
  for (const name of await readdir('node_modules'))
    if (!['.bin', '.cache'].includes(name))
      await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  return project;
}

export function startBundling(project: string) {
  return spawn(process.execPath, ['--input-type=module', '-e', `await ${BUNDLE}`], { cwd: project });
}

export async function bundleCopy(project: string): Promise<string> {
  return await waitForInstall(startBundling(project));
}

/** As npm does after it has unpacked the packages. */
export async function installCopy(project: string): Promise<string> {
  return await waitForInstall(spawn(process.execPath, ['scripts/warm-up.js'], { cwd: project }));
}

async function waitForInstall(install: ReturnType<typeof startBundling>): Promise<string> {
  let output = '';
  install.stderr.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(install, 'close');
  return code === 0 ? 'done' : output;
}

export interface OfficeRun {
  readonly code: number | null;
  readonly output: string;
  readonly from: 'bundle' | 'source';
}

/** Runs a command and says whether its code came from the bundle. */
export async function runCopy(
  project: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<OfficeRun> {
  const report = join(project, 'loaded.json');
  const options = `--import ${pathToFileURL('test/life/loaded-packages.ts').href}`;
  const child = spawn(process.execPath, [join(project, 'bin/office.js'), ...args], {
    env: { NODE_OPTIONS: options, LOADED_PACKAGES_FILE: report, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  const loaded = JSON.parse(await readFile(report, 'utf8')) as string[];
  return { code, output, from: loaded.includes('.cache') ? 'bundle' : 'source' };
}
