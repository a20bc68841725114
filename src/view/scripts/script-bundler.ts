/** Bundles the scripts of `browser/` for pages and workers. */
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile, stop } from 'esbuild';
import { buildAssetPath } from '../hashed-file.ts';
import { SCRIPT_NAMES, WORKER_BY_SCRIPT, WORKER_NAMES } from './script-names.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const options = {
  absWorkingDir: root,
  outdir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  alias: { '@noble/hashes/scrypt.js': './browser/workers/refused-passphrase.ts' },
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

/** The text of each script and worker, by its name. */
export type ScriptFiles = Readonly<Record<string, string>>;

/** The bundler is a separate process, which ends with this call. */
export async function bundleScriptFiles(): Promise<ScriptFiles> {
  try {
    const workers = await bundleFiles('workers', WORKER_NAMES);
    const pages = await Promise.all(
      [...WORKER_NAMES, null].map(async (worker) => {
        const names = SCRIPT_NAMES.filter((name) => WORKER_BY_SCRIPT[name] === worker);
        // The only URL that the page's Trusted Types policy accepts for a worker.
        const path = worker && buildAssetPath(`${worker}.js`, workers[worker]!);
        const define = { WORKER_NAME: JSON.stringify(worker), WORKER_PATH: JSON.stringify(path) };
        return await bundleFiles('pages', names, path ? define : {});
      }),
    );
    return Object.assign({}, workers, ...pages) as ScriptFiles;
  } finally {
    await stop();
  }
}

async function bundleFiles(
  folder: string,
  names: readonly string[],
  define: Record<string, string> = {},
): Promise<ScriptFiles> {
  const entryPoints = names.map((name) => `browser/${folder}/${name}.ts`);
  const { outputFiles } = await build({ ...options, define, entryPoints });
  return Object.fromEntries(names.map((name) => [name, findOutput(name, outputFiles)]));
}

function findOutput(name: string, files: readonly OutputFile[]): string {
  const file = files.find(({ path }) => path.endsWith(`${name}.js`));
  if (!file) throw new Error(`the bundler did not produce ${name}.js`);
  return file.text;
}
