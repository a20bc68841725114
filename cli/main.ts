/** The operator's commands. */
import { StartError } from '#platform/errors.ts';
import { makeSealingKeys, printMasterKey } from './keys.ts';

const USAGE = `Usage: npm run cli -- COMMAND

  keys master            print a new MASTER_KEY
  keys new [--out DIR]   make a desk key and a recovery key in DIR (default: keys),
                         and print DESK_RECIPIENTS and RECOVERY_RECIPIENT
`;
const EX_USAGE = 64;

const commands: Readonly<Record<string, (args: readonly string[]) => void | Promise<void>>> = {
  'keys master': printMasterKey,
  'keys new': makeSealingKeys,
};

const [group = 'help', name = '', ...args] = process.argv.slice(2);
const command = commands[`${group} ${name}`];

process.umask(0o077);
try {
  if (command) await command(args);
  else if (group === 'help' || group === '--help') process.stdout.write(USAGE);
  else fail(`Unknown command.\n\n${USAGE}`, EX_USAGE);
} catch (error) {
  if (error instanceof StartError) fail(`${error.message}\n`, error.exitCode);
  else if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) fail(USAGE, EX_USAGE);
  else throw error;
}

function fail(text: string, exitCode: number): void {
  process.stderr.write(text);
  process.exitCode = exitCode;
}
