/** Runs programs on the packaged Node; plain JavaScript, so that older versions can run this file. */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('..', import.meta.url));
export const PACKAGED_NODE = join(PROJECT, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
/** npm puts this folder first in the PATH of scripts and of npx. */
export const LINKS = join(PROJECT, 'node_modules', '.bin');
/** sysexits.h: EX_UNAVAILABLE. */
const EXIT_UNAVAILABLE = 69;
/** A terminal sends some of them to both processes; a second signal has no effect. */
const PASSED_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'];

/** `program` is the URL of the calling file, which is started again if another Node has to run it. */
export async function runOnPackagedNode(program, run) {
  const isOther = existsSync(PACKAGED_NODE) && realpathSync(PACKAGED_NODE) !== realpathSync(process.execPath);
  if (isOther) await passToPackagedNode(program, run);
  else await runHere(run);
}

async function passToPackagedNode(program, run) {
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const args = [...process.execArgv, fileURLToPath(program), ...process.argv.slice(2)];
  const child = spawn(PACKAGED_NODE, args, { stdio: 'inherit' });
  // A signal that arrives before the child runs is queued for it.
  for (const signal of PASSED_SIGNALS) process.on(signal, () => child.kill(signal));
  // If its C library is missing, the system reports that the file does not exist; the current Node may be usable.
  child.once('error', () => {
    for (const signal of PASSED_SIGNALS) process.removeAllListeners(signal);
    void runHere(run);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}

async function runHere(run) {
  const unfit = explainUnfitNode();
  if (unfit) {
    process.stderr.write(unfit);
    process.exit(EXIT_UNAVAILABLE);
  }
  module.enableCompileCache(join(PROJECT, 'node_modules', '.cache', 'node'));
  await run();
}

/** Returns why this Node cannot run the program, or nothing if it can. */
export function explainUnfitNode() {
  const { engines } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const [, needed = ''] = /^>=([\d.]+)$/.exec(engines.node) ?? [];
  if (isAtLeast(process.versions.node, needed)) return null;
  const reason = existsSync(PACKAGED_NODE)
    ? 'the packaged Node does not run on this system (it needs glibc)'
    : 'no Node is packaged for this system';
  return `Node ${needed} or later is needed: this is ${process.versions.node}, and ${reason}.\n`;
}

function isAtLeast(version, needed) {
  const [major, minor] = version.split('.').map(Number);
  const [neededMajor, neededMinor = 0] = needed.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
