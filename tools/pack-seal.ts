/**
 * Builds the package of `src/seal` for other programs, JavaScript and declarations, and packs it.
 *
 *   npm run pack:seal -- [FOLDER]
 *
 * FOLDER is where the archive goes; without one, it is the current folder.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VERSION } from '#platform/config/version.ts';
import { LINKS, PROJECT } from '../bin/packaged-node.js';
import { packFolder } from './release.ts';

const PACKAGE = join(PROJECT, 'packages', 'seal');
const destination = resolve(process.argv[2] ?? '.');

// Builds in another folder, so that no earlier build is packed and the source is not changed.
const folder = mkdtempSync(join(tmpdir(), 'pack-seal-'));
try {
  execFileSync(join(LINKS, 'tsc'), ['-p', PACKAGE, '--outDir', join(folder, 'lib')], { stdio: 'inherit' });
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: VERSION }, null, 2));
  cpSync(join(PACKAGE, 'README.md'), join(folder, 'README.md'));
  cpSync(join(PROJECT, 'LICENSE'), join(folder, 'LICENSE'));
  console.log(join(destination, packFolder(folder, destination)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
