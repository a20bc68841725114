/** The scripts for browsers as files to serve: one for each page, and the workers. */
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { createLazy } from '#platform/lazy.ts';
import { compressContent } from '../content-coding.ts';
import { type Asset, createAsset } from '../hashed-file.ts';
import { loadScriptFiles } from './script-files.ts';
import { SCRIPT_NAMES, type ScriptName, WORKER_NAMES, type WorkerName } from './script-names.ts';

export interface BrowserScripts {
  /** They do all sealing and opening. */
  readonly workers: Readonly<Record<WorkerName, Asset>>;
  readonly pages: Readonly<Record<ScriptName, Asset>>;
}

/** A worker follows the policy sent with its own file, not the page's (HTML, “run a worker”). */
const WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

let loading: Promise<BrowserScripts> | undefined;

/** Call this early: if the files are not cached, another process bundles them while the rest loads. */
export function loadScripts(): Promise<BrowserScripts> {
  loading ??= createScriptAssets();
  // Callers that await the result see a failure; until then, the early call must not crash the process.
  loading.catch(() => undefined);
  return loading;
}

async function createScriptAssets(): Promise<BrowserScripts> {
  const files = await loadScriptFiles().catch((error: unknown) => {
    throw new ProgramError(
      'the scripts for browsers cannot be bundled; install the packages again with npm ci',
      EXIT_CODES.unavailable,
      error,
    );
  });
  return {
    workers: createAssetsByName(WORKER_NAMES, (name) => ({
      ...createScriptAsset(name, files[name]!),
      contentPolicy: WORKER_POLICY,
    })),
    pages: createAssetsByName(SCRIPT_NAMES, (name) => createScriptAsset(name, files[name]!)),
  };
}

function createAssetsByName<Name extends string>(
  names: readonly Name[],
  create: (name: Name) => Asset,
): Record<Name, Asset> {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<Name, Asset>;
}

function createScriptAsset(name: string, text: string): Asset {
  const bytes = Buffer.from(text);
  return createAsset({
    name: `${name}.js`,
    type: 'text/javascript; charset=utf-8',
    bytes,
    getContent: createLazy(() => compressContent(bytes)),
  });
}
