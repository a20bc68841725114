#!/usr/bin/env node
/** The program `office`: the service, the desk and the command line. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, runOnPackagedNode } from './packaged-node.js';

/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;
const SERVE_USAGE = `Usage: office serve [--with-sandbox]

Start the service, which is configured by environment variables (.env.example). --with-sandbox also starts the payment sandbox.
`;

await runOnPackagedNode(import.meta.url, runOffice);

async function runOffice() {
  const envFile = join(PROJECT, '.env');
  // A link to a file that this user may not read still counts as a file.
  if (lstatSync(envFile, { throwIfNoEntry: false })) process.env.OFFICE_ENV_FILE ??= envFile;
  returnToCaller();
  const [word, asked] = process.argv.slice(2);
  if (word === 'help' && (asked === 'serve' || asked === 'desk')) process.argv.splice(2, 2, asked, '--help');
  const [command, ...args] = process.argv.slice(2);
  if (command === 'desk') return await runDesk();
  if (command !== 'serve') return await import('../cli/main.ts');
  if (args.every((arg) => arg === '--with-sandbox')) return await import('../src/main.ts');
  const isHelp = args.includes('--help');
  (isHelp ? process.stdout : process.stderr).write(SERVE_USAGE);
  process.exit(isHelp ? 0 : EXIT_USAGE);
}

/** The desk restarts itself, so it must be a separate program. */
async function runDesk() {
  process.argv.splice(2, 1);
  return await import('../desk/main.ts');
}

/** npm runs a script in the project's folder; file names are relative to the folder in which its user called it. */
function returnToCaller() {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  if ((script === 'cli' || script === 'desk') && folder && existsSync(folder)) process.chdir(folder);
}
