/** The scripts of `browser/`: bundled once, when the service starts, each page's apart from the worker that seals. */
import { fileURLToPath } from 'node:url';
import type { BuildOptions, OutputFile } from 'esbuild';
import { EXIT, StartError } from '#platform/errors.ts';
import { type Asset, asset } from './asset.ts';
import { type Coded, compressed } from './content-coding.ts';

export const SCRIPT_NAMES = ['inquiry', 'case', 'contact', 'sign-in', 'leave'] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

export interface Scripts {
  /** The worker in which everything is sealed and opened. */
  readonly sealer: Asset;
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

let bundled: Promise<Scripts> | undefined;

/** Called early, it works beside the rest of the start: the bundler is a program of its own. */
export function bundleScripts(): Promise<Scripts> {
  if (bundled) return bundled;
  bundled = bundle();
  // Whoever waits for the scripts hears of a failure; the early call must not end the process before that.
  bundled.catch(() => undefined);
  return bundled;
}

async function bundle(): Promise<Scripts> {
  const { build, stop } = await import('esbuild');
  try {
    const worker = await build({ ...options, entryPoints: ['browser/sealer.ts'] });
    const sealer = { ...script('sealer', worker.outputFiles), contentPolicy: WORKER_POLICY };
    const pages = await build({
      ...options,
      entryPoints: SCRIPT_NAMES.map((name) => `browser/${name}.ts`),
      // The only address that the page's Trusted Types policy lets become a worker.
      define: { SEALER_PATH: JSON.stringify(sealer.path) },
    });
    const named = SCRIPT_NAMES.map((name) => [name, script(name, pages.outputFiles)]);
    return { sealer, pages: Object.fromEntries(named) as Scripts['pages'] };
  } catch (error) {
    throw new StartError(
      'the scripts for browsers cannot be bundled; install the packages again with npm ci',
      EXIT.unavailable,
      error,
    );
  } finally {
    await stop();
  }
}

function script(name: string, files: readonly OutputFile[]): Asset {
  const found = files.find(({ path }) => path.endsWith(`${name}.js`));
  if (!found) throw new Error(`the bundler made no ${name}.js`);
  const bytes = Buffer.from(found.contents);
  const type = 'text/javascript; charset=utf-8';
  let coded: Promise<Coded> | undefined;
  return asset({ name: `${name}.js`, type, bytes, coded: () => (coded ??= compressed(bytes)) });
}
