/** The bundle of the program that an install makes: where it is, and whether the source still says the same. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT } from './packaged-node.js';

export const BUNDLES = join(PROJECT, 'node_modules', '.cache', 'office');
export const MANIFEST = join(BUNDLES, 'manifest.json');

/**
 * What to import for one of the two programs, `main` or `cli`. Null if there is no bundle, if another version of Node
 * made it, or if a file has changed since that is in it: then the source is run.
 */
export function findBundledProgram(name) {
  try {
    const { node, folder, files } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
    if (node !== process.version || !files.every(isUnchanged)) return null;
    return pathToFileURL(join(BUNDLES, folder, name, `${name}.mjs`)).href;
  } catch {
    return null;
  }
}

/**
 * Size and times tell that nobody has written to a file since. The time of the last write can be set, and an archive
 * may give all its files the same; the time of the last change cannot. Packages have no such time here: they change by
 * an install, which rewrites a list that is one of the files. Where times differ, as in a copy, the content counts.
 */
function isUnchanged([path, size, writtenAt, changedAt, hash]) {
  const file = PROJECT + path;
  const stat = statSync(file);
  if (stat.size !== size) return false;
  if (stat.mtimeMs === writtenAt && (changedAt === null || stat.ctimeMs === changedAt)) return true;
  return hashFile(file) === hash;
}

/** Loaded only where it is needed: nearly always, the times are enough. */
export function hashFile(file) {
  const { hash } = process.getBuiltinModule('node:crypto');
  return hash('sha256', readFileSync(file), 'base64url');
}
