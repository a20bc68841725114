/** Runs after an install: checks that a Node is there, links `office`, bundles it, and compiles what a start needs. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainUnfitNode, hasOtherPackagedNode, LINKS, PACKAGED_NODE } from '../bin/packaged-node.js';

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

/** Whatever fails here, the service runs all the same, from its source and compiling as it goes. */
async function warmUp() {
  // Another user than the one who installs may run the service; none of this is secret.
  process.umask(0o022);
  const { bundleProgram } = await import('./program-bundle.ts');
  await bundleProgram();
  const { runRehearsal } = await import('./rehearsal.ts');
  await runRehearsal();
}
