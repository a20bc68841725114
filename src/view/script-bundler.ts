/** Bundles the scripts of `browser/` for pages and workers, at install or, if that did not happen, at the start. */
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile, stop } from 'esbuild';
import { buildAssetPath } from './asset.ts';
import { markdownTrimmer } from './markdown-trimmer.ts';
import { SCRIPT_NAMES, WORKER_BY_SCRIPT, WORKER_NAMES } from './script-names.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const options = {
  absWorkingDir: root,
  outdir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  alias: { '@noble/hashes/scrypt.js': './browser/workers/refused-passphrase.ts' },
  write: false,
  metafile: true,
  logLevel: 'silent',
} satisfies BuildOptions;

export interface BundledScripts {
  /** The files of all pages and workers, by name. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** What they were made of, as paths from the project. */
  readonly sources: readonly string[];
}

/** The bundler is a separate process, which ends with this call. */
export async function bundleScriptFiles(): Promise<BundledScripts> {
  try {
    const workers = await bundleFiles('workers', WORKER_NAMES, { plugins: [markdownTrimmer] });
    const pages = await Promise.all(
      [...WORKER_NAMES, null].map(async (worker) => {
        const names = SCRIPT_NAMES.filter((name) => WORKER_BY_SCRIPT[name] === worker);
        // The only URL that the page's Trusted Types policy accepts for a worker.
        const path = worker && buildAssetPath(`${worker}.js`, workers.files[worker]!);
        return await bundleFiles(
          'pages',
          names,
          path ? { define: { WORKER_NAME: JSON.stringify(worker), WORKER_PATH: JSON.stringify(path) } } : {},
        );
      }),
    );
    const all = [workers, ...pages];
    return {
      files: Object.assign({}, ...all.map(({ files }) => files)) as BundledScripts['files'],
      sources: [...new Set(all.flatMap(({ sources }) => sources))],
    };
  } finally {
    await stop();
  }
}

async function bundleFiles(
  folder: string,
  names: readonly string[],
  more: Pick<BuildOptions, 'define' | 'plugins'>,
): Promise<BundledScripts> {
  const entryPoints = names.map((name) => `browser/${folder}/${name}.ts`);
  const { outputFiles, metafile } = await build({ ...options, ...more, entryPoints });
  const files = Object.fromEntries(names.map((name) => [name, findOutput(name, outputFiles)]));
  return { files, sources: Object.keys(metafile.inputs) };
}

function findOutput(name: string, files: readonly OutputFile[]): Uint8Array {
  const file = files.find(({ path }) => path.endsWith(`${name}.js`));
  if (!file) throw new Error(`the bundler did not produce ${name}.js`);
  return file.contents;
}
