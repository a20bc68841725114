/**
 * The scripts for browsers as files to serve: one for each page, and the workers. They are bundled once, then cached
 * until one of their sources changes.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWholeFile } from '#platform/atomic-file.ts';
import { CACHE_FOLDER } from '#platform/cache-folder.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { createLazy } from '#platform/lazy.ts';
import { compressContent } from '../content-coding.ts';
import { type Asset, createAsset } from '../hashed-file.ts';
import type { ScriptFiles } from './script-bundler.ts';
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

const root = fileURLToPath(new URL('../../..', import.meta.url));
const KEPT_FILE = join(CACHE_FOLDER, 'browser-scripts.json');
/** Everything that `browser/` may import, and the code that bundles it. */
const SOURCE_FOLDERS = ['browser', 'src/language', 'src/seal', 'src/view', 'src/wire'];
/** npm rewrites this file with each install. */
const INSTALLED_PACKAGES = 'node_modules/.package-lock.json';

interface KeptFiles {
  readonly sourceHash: string;
  readonly files: ScriptFiles;
}

async function loadScriptFiles(): Promise<ScriptFiles> {
  // Hashed before bundling, so that a file edited meanwhile counts as changed at the next start.
  const sourceHash = hashSources();
  const kept = readKeptFiles();
  if (kept?.sourceHash === sourceHash) return kept.files;
  const { bundleScriptFiles } = await import('./script-bundler.ts');
  const files = await bundleScriptFiles();
  // If the cache cannot be written, the next start bundles them again.
  await writeWholeFile(KEPT_FILE, JSON.stringify({ sourceHash, files })).catch(() => {});
  return files;
}

/** Synchronous: otherwise each of several hundred small files would wait for its turn while the program loads. */
function hashSources(): string {
  const hash = createHash('sha256');
  for (const path of [INSTALLED_PACKAGES, ...SOURCE_FOLDERS.flatMap(listSources)])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('base64url');
}

function listSources(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[];
  return names
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => join(folder, name));
}

function readKeptFiles(): KeptFiles | null {
  try {
    return JSON.parse(readFileSync(KEPT_FILE, 'utf8')) as KeptFiles;
  } catch {
    return null;
  }
}
