/** The scripts for browsers as files: bundled once, then cached until one of their sources changes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWholeFile } from '#platform/atomic-file.ts';
import { CACHE_FOLDER } from '#platform/cache-folder.ts';
import type { ScriptFiles } from './script-bundler.ts';

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

export async function loadScriptFiles(): Promise<ScriptFiles> {
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
