/** The operator's commands. */
import { newMasterKey } from '#store/keyring.ts';

const USAGE = `Usage: npm run cli -- COMMAND

  keys master    print a new MASTER_KEY
`;
const EX_USAGE = 64;

const [group, command, ...rest] = process.argv.slice(2);

if (group === 'keys' && command === 'master' && rest.length === 0)
  process.stdout.write(`${newMasterKey()}\n`);
else if (group === undefined || group === 'help' || group === '--help') process.stdout.write(USAGE);
else {
  process.stderr.write(`Unknown command.\n\n${USAGE}`);
  process.exitCode = EX_USAGE;
}
