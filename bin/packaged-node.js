/** The Node that comes with the packages, and whether another one would do; plain JavaScript for old versions. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('..', import.meta.url));
export const PACKAGED_NODE = join(PROJECT, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
/** npm puts this folder first in the PATH of scripts and of npx. */
export const LINKS = join(PROJECT, 'node_modules', '.bin');

/** There is one, and it is not the one that runs this. */
export function hasOtherPackagedNode() {
  return existsSync(PACKAGED_NODE) && realpathSync(PACKAGED_NODE) !== realpathSync(process.execPath);
}

/** Why this Node cannot run the program, or nothing if it can. */
export function explainUnfitNode() {
  const [, needed = ''] = /^>=([\d.]+)$/.exec(readPackage().engines.node) ?? [];
  if (isAtLeast(process.versions.node, needed)) return null;
  const reason = existsSync(PACKAGED_NODE)
    ? 'the Node of the packages does not run on this system (it needs glibc)'
    : 'the packages have brought none for this system';
  return `Node ${needed} or later is needed: this is ${process.versions.node}, and ${reason}.\n`;
}

function readPackage() {
  return JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
}

function isAtLeast(version, needed) {
  const [major, minor] = version.split('.').map(Number);
  const [neededMajor, neededMinor = 0] = needed.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
