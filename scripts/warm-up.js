/** Runs after an install: checks that a Node is there, links `office`, and compiles once what the first start needs. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import module from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  COMPILE_CACHE_FOLDER,
  explainUnfitNode,
  hasOtherPackagedNode,
  LINKS,
  PACKAGED_NODE,
} from '../bin/packaged-node.js';

if (hasOtherPackagedNode() && isRunByPackagedNode()) process.exit();
const unfit = explainUnfitNode();
if (unfit) {
  process.stderr.write(unfit);
  process.exit(1);
}
linkPrograms();
await warmUp().catch(() => {});

/** Runs this script again, with the Node that will run the service. */
function isRunByPackagedNode() {
  const self = fileURLToPath(import.meta.url);
  return spawnSync(PACKAGED_NODE, [self], { stdio: 'inherit' }).error === undefined;
}

/**
 * npm does not link the project's own program, and npm 9 loses the link to Node, which several packages offer. Where the
 * Node of the packages does not run, its name in the PATH of npm's scripts would hide the one that does.
 */
function linkPrograms() {
  rmSync(join(LINKS, 'node'), { force: true });
  if (existsSync(PACKAGED_NODE) && !hasOtherPackagedNode())
    symlinkSync(relative(LINKS, PACKAGED_NODE), join(LINKS, 'node'));
  rmSync(join(LINKS, 'office'), { force: true });
  symlinkSync('../../bin/office.js', join(LINKS, 'office'));
}

async function warmUp() {
  module.enableCompileCache(COMPILE_CACHE_FOLDER);
  await import('../src/service.ts');
  await import('#oauth/engine.ts');
  await import('#agents/documents/openapi-document.ts');
  await import('#agents/docs/page.ts');
  await import('#seal/age.ts');
  await import('esbuild');
  await import('../sandbox/server.ts');
  await import('selfsigned');
  await import('stripe');
  module.flushCompileCache();
}
