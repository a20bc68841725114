/** The scripts of `browser/`: bundled once, when the service starts, each page's apart from the worker that seals. */
import { fileURLToPath } from 'node:url';
import type { BuildOptions, OutputFile } from 'esbuild';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { createLazy } from '#platform/lazy.ts';
import { type Asset, createAsset } from './asset.ts';
import { compressContent } from './content-coding.ts';

export const SCRIPT_NAMES = ['inquiry', 'case', 'contact', 'sign-in', 'leave'] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** Two, so that nobody who sends an inquiry waits for what only reading a finding needs. */
export const WORKER_BY_SCRIPT = {
  inquiry: 'sealer',
  case: 'opener',
  contact: 'sealer',
  'sign-in': 'sealer',
  leave: null,
} as const satisfies Record<ScriptName, string | null>;
const WORKER_NAMES = ['sealer', 'opener'] as const;
type WorkerName = (typeof WORKER_NAMES)[number];

export interface BrowserScripts {
  /** In which everything is sealed and opened. */
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
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

/** A worker obeys the policy that its own file came with, not that of the page (HTML, “run a worker”). */
const WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const loadScripts = createLazy(runBundler);

/** Called early, it works beside the rest of the start: the bundler is a program of its own. */
export function bundleScripts(): Promise<BrowserScripts> {
  const bundled = loadScripts();
  // Whoever waits for the scripts hears of a failure; the early call must not end the process before that.
  bundled.catch(() => undefined);
  return bundled;
}

async function runBundler(): Promise<BrowserScripts> {
  const { build, stop } = await import('esbuild');
  try {
    const built = await build({
      ...options,
      entryPoints: WORKER_NAMES.map((name) => `browser/workers/${name}.ts`),
    });
    const workers = createAssetsByName(WORKER_NAMES, (name) => ({
      ...createScriptAsset(name, built.outputFiles),
      contentPolicy: WORKER_POLICY,
    }));
    const pages = await Promise.all(
      [...WORKER_NAMES, null].map(async (worker) => {
        const names = SCRIPT_NAMES.filter((name) => WORKER_BY_SCRIPT[name] === worker);
        // The only address that the page's Trusted Types policy lets become a worker.
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
  make: (name: Name) => Asset,
): Record<Name, Asset> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Asset>;
}

function createScriptAsset(name: string, files: readonly OutputFile[]): Asset {
  const found = files.find(({ path }) => path.endsWith(`${name}.js`));
  if (!found) throw new Error(`the bundler made no ${name}.js`);
  const bytes = Buffer.from(found.contents);
  const type = 'text/javascript; charset=utf-8';
  return createAsset({ name: `${name}.js`, type, bytes, coded: createLazy(() => compressContent(bytes)) });
}
