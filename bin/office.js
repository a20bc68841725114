#!/usr/bin/env node
/** The program `office`: hands over to the Node that comes with the packages, so it starts on older ones as well. */
import { existsSync, lstatSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainUnfitNode, hasOtherPackagedNode, PACKAGED_NODE, PROJECT } from './packaged-node.js';

/** sysexits.h: EX_UNAVAILABLE. */
const EXIT_UNAVAILABLE = 69;
/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;
const SERVE_USAGE = `Usage: npx office serve [--with-sandbox]

Start the service; it is configured by variables (.env.example). --with-sandbox also starts the payment sandbox.
`;
/** A terminal sends some of them to both processes; the second one changes nothing. */
const PASSED_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'];

if (hasOtherPackagedNode()) await passToPackagedNode();
else await runHere();

async function passToPackagedNode() {
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(PACKAGED_NODE, args, { stdio: 'inherit' });
  // A signal that comes before the child runs is kept for it.
  for (const signal of PASSED_SIGNALS) process.on(signal, () => child.kill(signal));
  // Where its C library is missing, the file "does not exist"; the Node that runs this may do.
  child.once('error', () => {
    for (const signal of PASSED_SIGNALS) process.removeAllListeners(signal);
    void runHere();
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
}

async function runHere() {
  const unfit = explainUnfitNode();
  if (unfit) {
    process.stderr.write(unfit);
    process.exit(EXIT_UNAVAILABLE);
  }
  module.enableCompileCache(join(PROJECT, 'node_modules', '.cache', 'node'));
  const envFile = join(PROJECT, '.env');
  // A link to a file that this user may not read is not the same as none.
  if (lstatSync(envFile, { throwIfNoEntry: false })) process.env.OFFICE_ENV_FILE ??= envFile;
  returnToCaller();
  const [command, ...args] = process.argv.slice(2);
  if (command === 'desk') return await runDesk();
  if (command !== 'serve') return await import('../cli/main.ts');
  if (args.every((arg) => arg === '--with-sandbox')) return await import('../src/main.ts');
  const isHelp = args.includes('--help');
  (isHelp ? process.stdout : process.stderr).write(SERVE_USAGE);
  process.exit(isHelp ? 0 : EXIT_USAGE);
}

/** It starts itself anew, so it is a program of its own. */
async function runDesk() {
  process.argv.splice(2, 1);
  return await import('../desk/main.ts');
}

/** npm runs a script in the project's folder; file names are meant from where its user stands. */
function returnToCaller() {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  if ((script === 'cli' || script === 'desk') && folder && existsSync(folder)) process.chdir(folder);
}
