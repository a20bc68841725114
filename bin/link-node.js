/** Runs after an install: links the packaged Node for npm's scripts, and the program. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { explainUnfitNode, LINKS, PACKAGED_NODE, PROJECT } from './packaged-node.js';

const isPackagedNodeUsable = spawnSync(PACKAGED_NODE, ['--version']).status === 0;
const unfit = isPackagedNodeUsable ? null : explainUnfitNode();
if (unfit) {
  process.stderr.write(unfit);
  process.exit(1);
}
// npm 9 loses the link to Node, which several packages offer. If the packaged Node does not run, its name in the PATH of
// npm's scripts would hide the one that does.
rmSync(join(LINKS, 'node'), { force: true });
if (isPackagedNodeUsable) symlinkSync(relative(LINKS, PACKAGED_NODE), join(LINKS, 'node'));
// npm pack omits links.
const program = join(PROJECT, 'bin', 'office');
if (!existsSync(program)) symlinkSync('office.js', program);
