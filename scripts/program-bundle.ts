/** Bundles service and command line into a few files each, so that a start reads dozens of files and not thousands. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleScriptFiles } from '#view/script-bundler.ts';
import { BUNDLES, findBundledProgram, hashFile, MANIFEST } from '../bin/bundle.js';
import { PROJECT } from '../bin/packaged-node.js';
import { builtinReader, createAddressKeeper, createScriptsReader } from './bundle-plugins.ts';
import { packageTrimmer } from './package-trimmer.ts';

const PROGRAMS = { main: 'src/main.ts', cli: 'cli/main.ts' } as const;
/** Run in threads of their own, which begin with a file. */
const THREADS = {
  thread: 'src/cases/sealing/thread.ts',
  checkpoint: 'src/store/checkpoint-thread.ts',
} as const;
/** Loaded by few starts, or with parts that are found by their path: they are read as they were installed. */
const LEFT_OUT = ['esbuild', 'nodemailer', 'pg', 'selfsigned'];
/** In no bundle, but another one comes out if they change: the packages, and what makes it. */
const LISTS = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'];
const MAKERS = [
  'bin/bundle.js',
  'scripts/program-bundle.ts',
  'scripts/bundle-plugins.ts',
  'scripts/package-trimmer.ts',
];
const SCRIPT_MAKERS = ['src/view/script-bundler.ts', 'src/view/markdown-trimmer.ts'];
/** Older folders are left from installs that were killed; a younger one may belong to an install that runs now. */
const FORGOTTEN_MS = 3_600_000;
/** The times of files lag behind the clock by up to a tick of the kernel. */
const CLOCK_TICK_MS = 20;

/** Path from the project, size, time of the last write, time of the last change, hash: as `bin/bundle.js` reads them. */
type FileFacts = readonly [string, number, number, number | null, string];

/** Does nothing if there is one that fits the source. The manifest comes last: without it, there is no bundle. */
export async function bundleProgram(): Promise<void> {
  if (findBundledProgram('main')) return;
  const startedAt = Date.now();
  await mkdir(BUNDLES, { recursive: true });
  const folder = await mkdtemp(join(BUNDLES, 'bundle-'));
  // Another user than the one who installs may run the service.
  await chmod(folder, 0o755);
  const sources = await buildAll(folder);
  const made = (await listFiles(folder)).map((path) => relative(PROJECT, path));
  const facts = await Promise.all([
    ...sources.map((path) => describeSource(path, startedAt)),
    ...made.map((path) => describeFile(path)),
  ]);
  const former = await readFormerFolder();
  const name = relative(BUNDLES, folder);
  await writeManifest({ node: process.version, folder: name, files: facts });
  await removeForgotten([name, former]);
}

async function buildAll(folder: string): Promise<readonly string[]> {
  const scripts = await bundleScriptFiles();
  await mkdir(join(folder, 'browser'));
  for (const [name, bytes] of Object.entries(scripts.files))
    await writeFile(join(folder, 'browser', `${name}.js`), bytes);
  const sources = [...LISTS, ...MAKERS, ...SCRIPT_MAKERS, ...scripts.sources];
  for (const [name, entry] of Object.entries(PROGRAMS)) {
    const output = join(folder, name);
    const scriptsReader = createScriptsReader('../browser', Object.keys(scripts.files));
    const { metafile } = await build({
      ...options,
      entryPoints: { [name]: entry, ...THREADS },
      outdir: output,
      plugins: [scriptsReader, createAddressKeeper(PROJECT, output, THREADS), builtinReader, packageTrimmer],
    });
    sources.push(...Object.keys(metafile.inputs).filter((path) => !path.startsWith('builtin:')));
  }
  return [...new Set(sources)];
}

const options = {
  absWorkingDir: PROJECT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: LEFT_OUT,
  // For packages in CommonJS that ask for Node's modules or for what is left out.
  banner: {
    js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);`,
  },
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'silent',
} satisfies BuildOptions;

/** Not the maps, which only the log reads. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Refuses a file that was written while the bundler read it: which of the two it read, nobody knows. */
async function describeSource(path: string, startedAt: number): Promise<FileFacts> {
  const [, size, writtenAt, , hash] = await describeFile(path);
  const { ctimeMs: changedAt } = await stat(join(PROJECT, path));
  const isPackaged = path.startsWith('node_modules/') && !LISTS.includes(path);
  if (changedAt > startedAt - CLOCK_TICK_MS) throw new Error(`${path} has changed meanwhile`);
  return [path, size, writtenAt, isPackaged ? null : changedAt, hash];
}

async function describeFile(path: string): Promise<FileFacts> {
  const file = join(PROJECT, path);
  const { size, mtimeMs } = await stat(file);
  return [path, size, mtimeMs, null, hashFile(file)];
}

async function readFormerFolder(): Promise<string | null> {
  try {
    return (JSON.parse(await readFile(MANIFEST, 'utf8')) as { folder: string }).folder;
  } catch {
    return null;
  }
}

/** By a new name: files in `node_modules` may be hard links to those of another installation. */
async function writeManifest(manifest: object): Promise<void> {
  const written = `${MANIFEST}.${process.pid}`;
  await writeFile(written, JSON.stringify(manifest), { mode: 0o644 });
  await rename(written, MANIFEST);
}

/** The former bundle stays: a service that was started with it may yet load parts of it. */
async function removeForgotten(kept: readonly (string | null)[]): Promise<void> {
  for (const name of await readdir(BUNDLES)) {
    const path = join(BUNDLES, name);
    if (path === MANIFEST || kept.includes(name)) continue;
    if (Date.now() - (await stat(path)).mtimeMs > FORGOTTEN_MS)
      await rm(path, { recursive: true, force: true });
  }
}
