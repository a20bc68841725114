/** Bundles the scripts of `browser/` when the service starts: one for each page, and the workers. */
import { fileURLToPath } from 'node:url';
import type { BuildOptions, OutputFile } from 'esbuild';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { createLazy } from '#platform/lazy.ts';
import { type Asset, createAsset } from './asset.ts';
import { compressContent } from './content-coding.ts';
import { markdownTrimmer } from './markdown-trimmer.ts';

export const SCRIPT_NAMES = ['inquiry', 'case', 'contact', 'sign-in', 'leave', 'hold'] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** Two workers, so that sending an inquiry does not load the code that only reading a finding needs. */
export const WORKER_BY_SCRIPT = {
  inquiry: 'sealer',
  case: 'opener',
  contact: 'sealer',
  'sign-in': 'sealer',
  leave: null,
  hold: null,
} as const satisfies Record<ScriptName, string | null>;
const WORKER_NAMES = ['sealer', 'opener'] as const;
type WorkerName = (typeof WORKER_NAMES)[number];

export interface BrowserScripts {
  /** They do all sealing and opening. */
  readonly workers: Readonly<Record<WorkerName, Asset>>;
  readonly pages: Readonly<Record<ScriptName, Asset>>;
}

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
  logLevel: 'silent',
} satisfies BuildOptions;

/** A worker follows the policy sent with its own file, not the page's (HTML, “run a worker”). */
const WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const loadScripts = createLazy(runBundler);

/** Call it early: the bundler is a separate process and runs in parallel with the rest of the start. */
export function bundleScripts(): Promise<BrowserScripts> {
  const bundled = loadScripts();
  // Callers that await the result see a failure; the early call must not crash the process before.
  bundled.catch(() => undefined);
  return bundled;
}

async function runBundler(): Promise<BrowserScripts> {
  const { build, stop } = await import('esbuild');
  try {
    const workerBuild = await build({
      ...options,
      entryPoints: WORKER_NAMES.map((name) => `browser/workers/${name}.ts`),
      plugins: [markdownTrimmer],
    });
    const workers = createAssetsByName(WORKER_NAMES, (name) => ({
      ...createScriptAsset(name, workerBuild.outputFiles),
      contentPolicy: WORKER_POLICY,
    }));
    const pages = await Promise.all(
      [...WORKER_NAMES, null].map(async (worker) => {
        const names = SCRIPT_NAMES.filter((name) => WORKER_BY_SCRIPT[name] === worker);
        // The only URL that the page's Trusted Types policy accepts for a worker.
        const define = worker ? { WORKER_PATH: JSON.stringify(workers[worker].path) } : {};
        const entryPoints = names.map((name) => `browser/pages/${name}.ts`);
        const { outputFiles } = await build({ ...options, entryPoints, define });
        return createAssetsByName(names, (name) => createScriptAsset(name, outputFiles));
      }),
    );
    return { workers, pages: Object.assign({}, ...pages) as BrowserScripts['pages'] };
  } catch (error) {
    throw new StartError(
      'the scripts for browsers cannot be bundled; install the packages again with npm ci',
      EXIT_CODES.unavailable,
      error,
    );
  } finally {
    await stop();
  }
}

function createAssetsByName<Name extends string>(
  names: readonly Name[],
  create: (name: Name) => Asset,
): Record<Name, Asset> {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<Name, Asset>;
}

function createScriptAsset(name: string, files: readonly OutputFile[]): Asset {
  const file = files.find(({ path }) => path.endsWith(`${name}.js`));
  if (!file) throw new Error(`the bundler did not produce ${name}.js`);
  const bytes = Buffer.from(file.contents);
  const type = 'text/javascript; charset=utf-8';
  return createAsset({
    name: `${name}.js`,
    type,
    bytes,
    getContent: createLazy(() => compressContent(bytes)),
  });
}
